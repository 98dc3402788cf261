package io.icewal.materialize;

import io.icewal.merge.KeyColumns;
import io.icewal.model.BlockKind;
import io.icewal.table.DeletionVectors;
import io.icewal.table.LiveFiles;
import io.icewal.tail.Tail;
import io.icewal.wal.BlockRef;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.Table;

/// The rows of an append-only table: all of them, in log order, without any look at old rows.
/// Blocks before a truncation are passed over; the truncation removes all files that are there.
final class Appends implements Cycle.Change {
  private final Cycle.Services services;
  private final boolean truncates;

  private Appends(Cycle.Services services, boolean truncates) {
    this.services = services;
    this.truncates = truncates;
  }

  /// Writes the rows, as many blocks at a time as fit the memory bound.
  static Appends write(
      Cycle.Services services, Tail tail, List<BlockRef> blocks, DeltaWriter writer, Table table) {
    int start = 0;
    for (int i = 0; i < blocks.size(); i++) {
      if (blocks.get(i).header().kind() == BlockKind.TRUNCATE) {
        start = i + 1;
      }
    }
    List<BlockRef> kept = blocks.subList(start, blocks.size());
    for (List<BlockRef> group : SortedTail.groups(kept, services.config().cycleBytesMax())) {
      writeGroup(services, tail, group, writer, table);
    }
    return new Appends(services, start > 0);
  }

  private static void writeGroup(
      Cycle.Services services, Tail tail, List<BlockRef> group, DeltaWriter writer, Table table) {
    List<VectorSchemaRoot> sources = new ArrayList<>();
    KeyColumns none = KeyColumns.of(table.schema());
    try (Batches batches = new Batches(tail, none, services.allocator())) {
      batches.readAppends(group);
      for (int batch = 0; batch < batches.count(); batch++) {
        sources.add(batches.rows(batch, table.schema()));
      }
      writer.writeAll(sources);
    } finally {
      sources.forEach(VectorSchemaRoot::close);
    }
  }

  @Override
  public DeletionVectors prepare(Table table, String attemptName) {
    return truncates
        ? DeletionVectors.allOf(
            LiveFiles.of(table, KeyColumns.of(table.schema()), services.manifests()))
        : DeletionVectors.NONE;
  }

  @Override
  public boolean truncates() {
    return truncates;
  }

  @Override
  public boolean needsBase() {
    return truncates;
  }

  @Override
  public void close() {}
}
