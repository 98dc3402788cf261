package io.icewal.trino.write;

import io.icewal.model.IcewalException;
import io.icewal.trino.arrow.WrongLength;
import io.icewal.trino.services.IcewalErrorCode;
import io.trino.spi.StandardErrorCode;
import io.trino.spi.TrinoException;

/// Errors of writing, as Trino knows them.
final class WriteErrors {
  private WriteErrors() {}

  static void translating(Runnable work) {
    try {
      work.run();
    } catch (WrongLength e) {
      throw new TrinoException(
          StandardErrorCode.CONSTRAINT_VIOLATION,
          "Value of column " + e.column() + " does not have its length: " + e.getMessage(),
          e);
    } catch (IcewalException e) {
      throw IcewalErrorCode.of(e);
    } catch (ArithmeticException e) {
      throw new TrinoException(
          StandardErrorCode.NUMERIC_VALUE_OUT_OF_RANGE,
          "A time is out of the range of its column",
          e);
    }
  }
}
