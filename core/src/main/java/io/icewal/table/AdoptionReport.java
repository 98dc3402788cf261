package io.icewal.table;

import io.icewal.model.Position;
import io.icewal.model.Verdict;
import java.util.List;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;

/// What came of an adoption, or would come of it.
///
/// @param table the table as it was loaded last
/// @param outcome how it stands
/// @param key names of the primary key's columns; empty for an append-only table
/// @param position where its log begins for it; null if it is not adopted
/// @param changes what was changed, or would be
/// @param refusals why it cannot be adopted: each names a rule, what was seen and what is expected
/// @param warnings what its owner should know
/// @param dataFiles live data files that were looked at
/// @param rows live rows that were looked at
public record AdoptionReport(
    Table table,
    Outcome outcome,
    List<String> key,
    @Nullable Position position,
    List<String> changes,
    List<Verdict> refusals,
    List<String> warnings,
    long dataFiles,
    long rows) {
  /// How an adoption stands.
  public enum Outcome {
    /// It was done now.
    ADOPTED,
    /// It had been done before, with the same key.
    ADOPTED_BEFORE,
    /// Nothing is in its way; it was only asked for.
    POSSIBLE,
    /// Something is in its way.
    REFUSED
  }

  public AdoptionReport {
    key = List.copyOf(key);
    changes = List.copyOf(changes);
    refusals = List.copyOf(refusals);
    warnings = List.copyOf(warnings);
  }
}
