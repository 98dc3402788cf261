package io.icewal.trino.services;

import io.icewal.model.IcewalException;
import io.trino.spi.ErrorCode;
import io.trino.spi.ErrorCodeSupplier;
import io.trino.spi.ErrorType;
import io.trino.spi.StandardErrorCode;
import io.trino.spi.TrinoException;

/// What Trino's standard codes have no word for. A number is never used again.
public enum IcewalErrorCode implements ErrorCodeSupplier {
  /// The store or the catalog cannot be reached, or is not as far as was asked for: try again
  /// later.
  ICEWAL_UNAVAILABLE(0, ErrorType.EXTERNAL),
  /// Whether a write took effect is not known: look.
  ICEWAL_OUTCOME_UNKNOWN(1, ErrorType.EXTERNAL),
  /// Stored bytes are damaged or missing: an operator must look.
  ICEWAL_CORRUPT(2, ErrorType.EXTERNAL);

  private static final int FIRST = 0x0710_0000;

  private final ErrorCode code;

  IcewalErrorCode(int number, ErrorType type) {
    this.code = new ErrorCode(FIRST + number, name(), type);
  }

  @Override
  public ErrorCode toErrorCode() {
    return code;
  }

  /// An error of core as one of Trino's.
  public static TrinoException of(IcewalException e) {
    ErrorCodeSupplier code =
        switch (e.kind()) {
          case CONFLICT -> StandardErrorCode.TRANSACTION_CONFLICT;
          case UNAVAILABLE -> ICEWAL_UNAVAILABLE;
          case UNKNOWN -> ICEWAL_OUTCOME_UNKNOWN;
          case INVALID -> StandardErrorCode.INVALID_ARGUMENTS;
          case CORRUPT -> ICEWAL_CORRUPT;
          case INTERNAL -> StandardErrorCode.GENERIC_INTERNAL_ERROR;
        };
    return new TrinoException(code, e.getMessage(), e);
  }
}
