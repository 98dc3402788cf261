package io.icewal.spark.write;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DeltaWriter;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.types.DataType;
import org.jspecify.annotations.Nullable;

/// The changes of one task of an UPDATE, DELETE or MERGE: keys to delete and whole new rows. Used
/// by one thread.
///
/// Where an update leaves the key as it is, the new row alone says it: a deletion before it would
/// make it a new row with a new `_row_id`.
final class ChangeWriter implements DeltaWriter<InternalRow> {
  private final RowStager deletes;
  private final RowStager upserts;
  private final int[] keyOrdinals;
  private final DataType[] keyTypes;

  /// @param deletes closed with this
  /// @param upserts closed with this
  /// @param keyOrdinals where the columns of a row's id come in a whole row
  /// @param keyTypes of the columns of a row's id
  ChangeWriter(RowStager deletes, RowStager upserts, int[] keyOrdinals, DataType[] keyTypes) {
    this.deletes = deletes;
    this.upserts = upserts;
    this.keyOrdinals = keyOrdinals;
    this.keyTypes = keyTypes;
  }

  @Override
  public void insert(InternalRow row) {
    upserts.add(row);
  }

  @Override
  public void update(@Nullable InternalRow metadata, InternalRow id, InternalRow row) {
    if (!isKeyOf(id, row)) {
      deletes.add(id);
    }
    upserts.add(row);
  }

  private boolean isKeyOf(InternalRow id, InternalRow row) {
    for (int i = 0; i < keyTypes.length; i++) {
      Object before = id.get(i, keyTypes[i]);
      Object after = row.get(keyOrdinals[i], keyTypes[i]);
      boolean same =
          (before instanceof byte[] bytes && after instanceof byte[] others)
              ? Arrays.equals(bytes, others)
              : Objects.equals(before, after);
      if (!same) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void delete(@Nullable InternalRow metadata, InternalRow id) {
    deletes.add(id);
  }

  @Override
  public WriterCommitMessage commit() {
    List<byte[]> blocks = new ArrayList<>(deletes.finish());
    blocks.addAll(upserts.finish());
    return new StagedMessage(blocks);
  }

  /// What was staged is never published and cleaned up in time.
  @Override
  public void abort() {}

  @Override
  public void close() {
    deletes.close();
    upserts.close();
  }
}
