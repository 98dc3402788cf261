package io.icewal.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.MetadataTableType;
import org.apache.iceberg.MetadataTableUtils;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Columns of any name, in the log, half and half, and materialized.
class NamesInEveryStateTest {
  @TempDir Path folder;
  private FreshFixture fixture;

  @BeforeEach
  void open() {
    fixture = new FreshFixture(folder);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  /// Case b110: as key, as source of partitions, in conditions and in projections.
  @Test
  void b110_anyNameMayBeOfAKeyAPartitionAndACondition() {
    List<String> names = List.of("$data", "my/data", "sp ace", "日本", "1abc", "a.b", "sel\"ect");
    List<NestedField> columns = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      columns.add(NestedField.required(i + 1, names.get(i), Types.StringType.get()));
    }
    columns.add(NestedField.optional(20, "v", Types.StringType.get()));
    Schema schema = new Schema(columns, Set.of(1, 2, 3, 4));
    PartitionSpec.Builder spec = PartitionSpec.builderFor(schema);
    for (String name : names) {
      spec.identity(name);
    }
    fixture.create(schema, spec.build());
    fixture.upsert(named("p", "old"), named("q", "old"));
    fixture.materialize();
    fixture.upsert(named("q", "new"), named("r", "new"));

    for (int state = 0; state < 2; state++) {
      assertThat(fixture.count(null)).isEqualTo(3);
      for (String name : names) {
        String quoted = "\"" + name.replace("\"", "\"\"") + "\"";
        assertThat(fixture.read(quoted + " = 'q'")).as(name).containsExactly("q|q|q|q|q|q|q|new");
        assertThat(fixture.count(quoted + " < 'q'")).isEqualTo(1);
        assertThat(fixture.read(FreshFixture.all().withColumns(List.of(name))))
            .containsExactly("p", "q", "r");
      }
      fixture.materialize();
    }
  }

  private org.apache.iceberg.data.Record named(String value, String v) {
    return fixture.row(value, value, value, value, value, value, value, v);
  }

  /// Case b112: names that icewal and Iceberg use within files of their own.
  @Test
  void b112_columnsNamedLikeInnerColumnsGoRound() {
    List<String> names =
        List.of("pos", "file_path", "row_id", "op", "position", "key", "spec_id", "row", "deleted");
    List<NestedField> columns = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      columns.add(NestedField.required(i + 1, names.get(i), Types.LongType.get()));
    }
    fixture.create(new Schema(columns, Set.of(1, 2)));
    fixture.upsert(fixture.row(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L));
    for (int state = 0; state < 2; state++) {
      for (int i = 0; i < names.size(); i++) {
        assertThat(fixture.read(names.get(i) + " = " + (i + 1)))
            .containsExactly("1|2|3|4|5|6|7|8|9");
      }
      fixture.materialize();
    }
    fixture.upsert(fixture.row(1L, 2L, 30L, 4L, 5L, 6L, 7L, 8L, 9L));
    fixture.materialize();
    assertThat(fixture.read("pos = 1")).containsExactly("1|2|30|4|5|6|7|8|9");
  }

  /// Case b113: a column, and a partition field, of the name that metadata tables have for all of
  /// them.
  @Test
  void b113_aColumnCalledPartitionLeavesTheMetadataTablesReadable() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.LongType.get()),
                NestedField.optional(2, "partition", Types.StringType.get())),
            Set.of(1));
    fixture.create(schema, PartitionSpec.builderFor(schema).identity("partition").build());
    fixture.upsert(fixture.row(1L, "a"), fixture.row(2L, "b"), fixture.row(3L, null));
    fixture.materialize();
    fixture.upsert(fixture.row(1L, "b"));
    fixture.materialize();
    fixture.upsert(fixture.row(4L, "c"));

    Table table = fixture.table();
    for (MetadataTableType type : MetadataTableType.values()) {
      if (type != MetadataTableType.POSITION_DELETES) {
        assertThat(metadataRows(table, type)).as(type.name()).isNotNegative();
      }
    }
    assertThat(metadataRows(table, MetadataTableType.PARTITIONS)).isEqualTo(2);
    assertThat(metadataRows(table, MetadataTableType.DATA_FILES)).isEqualTo(3);
    assertThat(fixture.read("partition = 'b'")).containsExactly("1|b", "2|b");
    assertThat(fixture.read("partition is null")).containsExactly("3|null");
  }

  private static int metadataRows(Table table, MetadataTableType type) {
    Table metadata = MetadataTableUtils.createMetadataTableInstance(table, type);
    int count = 0;
    try (CloseableIterable<FileScanTask> tasks = metadata.newScan().planFiles()) {
      for (FileScanTask task : tasks) {
        try (CloseableIterable<StructLike> rows = task.asDataTask().rows()) {
          for (StructLike row : rows) {
            assertThat(row.size()).isPositive();
            count++;
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return count;
  }
}
