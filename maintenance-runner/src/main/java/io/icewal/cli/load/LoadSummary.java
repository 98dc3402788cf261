package io.icewal.cli.load;

import io.icewal.model.Position;
import io.icewal.model.Verdict;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What became of the rows so far. Not thread-safe.
public final class LoadSummary {
  /// One bad row, as people want to see it.
  public record Sample(String file, long line, Verdict verdict) {}

  static final int SAMPLES_MAX = 10;

  private final List<Sample> samples = new ArrayList<>();
  private long read;
  private long stored;
  private long refused;
  private long unnamed;
  private @Nullable Position position;

  void addRead(long rows) {
    read += rows;
  }

  void addStored(long rows, @Nullable Position at) {
    stored += rows;
    position = at == null ? position : at;
  }

  void addRefused(long rows) {
    refused += rows;
  }

  void addUnnamed(long rows) {
    unnamed += rows;
  }

  void addSample(String file, long line, Verdict verdict) {
    if (samples.size() < SAMPLES_MAX) {
      samples.add(new Sample(file, line, verdict));
    }
  }

  /// Rows read from the files.
  public long read() {
    return read;
  }

  /// Rows that are durable, by this run or by an earlier one of the same producer.
  public long stored() {
    return stored;
  }

  /// Rows that are not: bad ones, and in mode reject those in the same batch as a bad one.
  public long refused() {
    return refused;
  }

  /// Those of the refused rows of which only the number is known, since the server names so many
  /// for a batch at most. They are not among the rejects.
  public long unnamed() {
    return unnamed;
  }

  /// A read that asks for at least this position sees everything that was stored.
  public @Nullable Position position() {
    return position;
  }

  /// The first bad rows.
  public List<Sample> samples() {
    return List.copyOf(samples);
  }

  public boolean isComplete() {
    return stored == read;
  }
}
