package io.icewal.trino.write;

import io.airlift.slice.Slice;
import io.icewal.trino.read.KeyRowId;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.RowBlock;
import io.trino.spi.connector.ConnectorMergeSink;
import io.trino.spi.type.TinyintType;
import io.trino.spi.type.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// The changes of an UPDATE, DELETE or MERGE: keys to delete and whole new rows. Used by one thread
/// at a time.
///
/// Where an update leaves the key as it is, the new row alone says it: a deletion before it would
/// make it a new row with a new `_row_id`.
final class LogMergeSink implements ConnectorMergeSink {
  private final BlockStager deletes;
  private final BlockStager upserts;
  private final List<Type> types;
  private final KeyRowId rowId;

  /// @param types of the table's columns
  LogMergeSink(BlockStager deletes, BlockStager upserts, List<Type> types, KeyRowId rowId) {
    this.deletes = deletes;
    this.upserts = upserts;
    this.types = types;
    this.rowId = rowId;
  }

  @Override
  public void storeMergedRows(Page page) {
    WriteErrors.translating(() -> store(page));
  }

  private void store(Page page) {
    Block operations = page.getBlock(types.size());
    Block ids = page.getBlock(page.getChannelCount() - 1);
    int[] gone = new int[page.getPositionCount()];
    int[] written = new int[page.getPositionCount()];
    int goneCount = 0;
    int writtenCount = 0;
    for (int i = 0; i < page.getPositionCount(); i++) {
      switch (TinyintType.TINYINT.getByte(operations, i)) {
        case INSERT_OPERATION_NUMBER, UPDATE_INSERT_OPERATION_NUMBER -> written[writtenCount++] = i;
        case DELETE_OPERATION_NUMBER -> gone[goneCount++] = i;
        case UPDATE_DELETE_OPERATION_NUMBER -> {
          if (!isSameKeyAfter(page, operations, ids, i)) {
            gone[goneCount++] = i;
          }
        }
        default ->
            throw new IllegalStateException(
                "unknown operation " + TinyintType.TINYINT.getByte(operations, i));
      }
    }
    delete(ids, Arrays.copyOf(gone, goneCount));
    upsert(page, Arrays.copyOf(written, writtenCount));
  }

  /// Whether the row after a deletion is the updated row of the same key.
  private boolean isSameKeyAfter(Page page, Block operations, Block ids, int i) {
    return i + 1 < page.getPositionCount()
        && TinyintType.TINYINT.getByte(operations, i + 1) == UPDATE_INSERT_OPERATION_NUMBER
        && rowId.isKeyOf(ids, i, page, i + 1);
  }

  private void delete(Block ids, int[] positions) {
    if (positions.length > 0) {
      Block chosen = ids.copyPositions(positions, 0, positions.length);
      List<Block> leaves = RowBlock.getRowFieldsFromBlock(chosen);
      deletes.add(positions.length, rowId.columns(leaves, positions.length), rowId.columnTypes());
    }
  }

  private void upsert(Page page, int[] positions) {
    List<Block> columns = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      columns.add(page.getBlock(i).copyPositions(positions, 0, positions.length));
    }
    upserts.add(positions.length, columns, types);
  }

  @Override
  public long getCompletedBytes() {
    return deletes.storedBytes() + upserts.storedBytes();
  }

  @Override
  public CompletableFuture<Collection<Slice>> finish() {
    try (deletes;
        upserts) {
      List<Slice> fragments = new ArrayList<>();
      WriteErrors.translating(
          () -> {
            fragments.addAll(deletes.finish());
            fragments.addAll(upserts.finish());
          });
      return CompletableFuture.completedFuture(fragments);
    }
  }

  /// What was staged is never published and cleaned up in time.
  @Override
  public void abort() {
    deletes.close();
    upserts.close();
  }
}
