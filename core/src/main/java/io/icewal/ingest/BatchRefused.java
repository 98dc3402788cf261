package io.icewal.ingest;

import io.icewal.model.Verdict;

/// A batch that cannot be looked at row by row any further: its buffers contradict themselves, or
/// it is too large. Never leaves this package.
final class BatchRefused extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Verdict verdict;

  BatchRefused(Verdict verdict) {
    super(verdict.message(), null, false, false);
    this.verdict = verdict;
  }

  Verdict verdict() {
    return verdict;
  }
}
