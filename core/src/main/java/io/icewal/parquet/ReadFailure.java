package io.icewal.parquet;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;

/// What an exception met while reading a data file means to the caller.
final class ReadFailure {
  private ReadFailure() {}

  /// The store's failures are UNAVAILABLE, except the end of the file within a value; what decoding
  /// throws is CORRUPT; what Iceberg's files throw themselves (not found, forbidden) passes.
  ///
  /// @param what the data file, as the message names it
  static RuntimeException of(String what, Exception e) {
    if (e instanceof IcewalException known) {
      return known;
    } else if (e instanceof EOFException || isDecoding(e)) {
      return new IcewalException(ErrorKind.CORRUPT, what + " is damaged: " + e.getMessage(), e);
    } else if (e instanceof IOException || e instanceof UncheckedIOException) {
      return new IcewalException(
          ErrorKind.UNAVAILABLE, "cannot read " + what + ": " + e.getMessage(), e);
    }
    return (RuntimeException) e;
  }

  private static boolean isDecoding(Exception e) {
    String name = e.getClass().getName();
    return e instanceof RuntimeException
        && (name.startsWith("java.lang.")
            || name.startsWith("org.apache.parquet.")
            || name.startsWith("com.github.luben."));
  }
}
