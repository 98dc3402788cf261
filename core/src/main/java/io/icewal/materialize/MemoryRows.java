package io.icewal.materialize;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.Survivors;
import io.icewal.parquet.ArrowRows;
import io.icewal.wal.BlockRef;
import io.icewal.wal.LogReader;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.Schema;
import org.jspecify.annotations.Nullable;

/// Blocks that fit in memory: one chunk.
final class MemoryRows implements SortedRows {
  private final Batches batches;
  private final Schema schema;
  private final KeyColumns key;
  private final BufferAllocator allocator;
  private final Survivors survivors;
  private final List<VectorSchemaRoot> owned = new ArrayList<>();
  private @Nullable List<VectorSchemaRoot> sources;
  private @Nullable VectorSchemaRoot keyRows;
  private boolean taken;

  private MemoryRows(
      Batches batches,
      Survivors survivors,
      Schema schema,
      KeyColumns key,
      BufferAllocator allocator) {
    this.batches = batches;
    this.survivors = survivors;
    this.schema = schema;
    this.key = key;
    this.allocator = allocator;
  }

  static MemoryRows read(
      LogReader log,
      List<BlockRef> blocks,
      Schema schema,
      KeyColumns key,
      BufferAllocator allocator) {
    Batches batches = new Batches(log, key, allocator);
    try (Undo undo = new Undo(batches::close)) {
      MemoryRows rows = new MemoryRows(batches, batches.readKeys(blocks), schema, key, allocator);
      undo.keep();
      return rows;
    }
  }

  @Override
  public boolean truncated() {
    return survivors.truncated();
  }

  @Override
  public boolean next() {
    boolean first = !taken;
    taken = true;
    return first;
  }

  @Override
  public void rewind() {
    taken = false;
  }

  @Override
  public Survivors chunk() {
    return survivors;
  }

  @Override
  public VectorSchemaRoot keyRows() {
    if (keyRows == null) {
      keyRows = readKeyRows();
    }
    return keyRows;
  }

  private VectorSchemaRoot readKeyRows() {
    List<VectorSchemaRoot> keys = new ArrayList<>();
    try {
      for (int batch = 0; batch < batches.count(); batch++) {
        keys.add(batches.rows(batch, key.keySchema()));
      }
      return own(
          ArrowRows.gather(
              keys, survivors.sources(), survivors.rows(), 0, survivors.size(), allocator));
    } finally {
      keys.forEach(VectorSchemaRoot::close);
    }
  }

  @Override
  public List<VectorSchemaRoot> sources() {
    if (sources == null) {
      sources = readSources();
    }
    return sources;
  }

  private List<VectorSchemaRoot> readSources() {
    BitSet needed = new BitSet();
    for (int i = 0; i < survivors.size(); i++) {
      if (!survivors.isDelete(i)) {
        needed.set(survivors.sources()[i]);
      }
    }
    batches.readRest(needed);
    List<VectorSchemaRoot> out = new ArrayList<>();
    for (int batch = 0; batch < batches.count(); batch++) {
      out.add(
          own(
              needed.get(batch)
                  ? batches.rows(batch, schema)
                  : VectorSchemaRoot.create(
                      io.icewal.model.ArrowSchemas.toArrow(schema), allocator)));
    }
    return out;
  }

  private VectorSchemaRoot own(VectorSchemaRoot root) {
    owned.add(root);
    return root;
  }

  @Override
  public void close() {
    owned.forEach(VectorSchemaRoot::close);
    owned.clear();
    batches.close();
  }
}
