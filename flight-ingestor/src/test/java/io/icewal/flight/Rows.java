package io.icewal.flight;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/// Batches of the columns `id bigint, v string` for tests.
final class Rows {
  static final String COLUMNS = "id bigint not null, v string";

  static final Schema SCHEMA =
      new Schema(
          List.of(
              Field.nullable("id", new ArrowType.Int(64, true)),
              Field.nullable("v", ArrowType.Utf8.INSTANCE)));

  private Rows() {}

  /// A batch with the ids from `first`, all with the same value.
  static VectorSchemaRoot range(BufferAllocator allocator, long first, int count, String value) {
    Long[] ids = new Long[count];
    Arrays.setAll(ids, i -> first + i);
    String[] values = new String[count];
    Arrays.fill(values, value);
    return of(allocator, ids, values);
  }

  static VectorSchemaRoot of(
      BufferAllocator allocator, @Nullable Long[] ids, @Nullable String[] values) {
    VectorSchemaRoot root = VectorSchemaRoot.create(SCHEMA, allocator);
    BigIntVector id = (BigIntVector) root.getVector("id");
    VarCharVector v = (VarCharVector) root.getVector("v");
    for (int i = 0; i < ids.length; i++) {
      Long number = ids[i];
      if (number != null) {
        id.setSafe(i, number);
      }
      String text = values[i];
      if (text != null) {
        v.setSafe(i, text.getBytes(StandardCharsets.UTF_8));
      }
    }
    root.setRowCount(ids.length);
    return root;
  }

  /// The rows of batches as `id=v`, by id.
  static List<String> texts(Iterable<VectorSchemaRoot> batches) {
    TreeMap<Long, List<String>> rows = new TreeMap<>();
    for (VectorSchemaRoot batch : batches) {
      BigIntVector id = (BigIntVector) batch.getVector("id");
      VarCharVector v = (VarCharVector) batch.getVector("v");
      for (int i = 0; i < batch.getRowCount(); i++) {
        rows.computeIfAbsent(id.get(i), key -> new ArrayList<>())
            .add(id.get(i) + "=" + v.getObject(i));
      }
    }
    return rows.values().stream().flatMap(List::stream).toList();
  }
}
