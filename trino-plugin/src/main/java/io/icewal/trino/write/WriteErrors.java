package io.icewal.trino.write;

import io.icewal.model.IcewalException;
import io.icewal.trino.services.IcewalErrorCode;

/// Errors of writing, as Trino knows them.
final class WriteErrors {
  private WriteErrors() {}

  static void translating(Runnable work) {
    try {
      work.run();
    } catch (IcewalException e) {
      throw IcewalErrorCode.of(e);
    }
  }
}
