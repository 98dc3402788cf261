package io.icewal.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.model.BlockKind;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.apache.iceberg.Schema;
import org.apache.iceberg.expressions.Literal;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Columns that change while rows of the older form wait in the log.
class SchemaChangeScanTest {
  private static final Schema SCHEMA =
      new Schema(
          List.of(
              NestedField.required(1, "id", Types.LongType.get()),
              NestedField.optional(2, "v", Types.StringType.get())),
          Set.of(1));

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

  @Test
  void b083_aColumnThatWasDroppedAndAddedAgainIsEmpty() {
    fixture.create(SCHEMA);
    fixture.upsert(fixture.row(1L, "x"));
    fixture.table().updateSchema().deleteColumn("v").commit();
    fixture.table().updateSchema().addColumn("v", Types.StringType.get()).commit();

    assertThat(fixture.read(FreshFixture.all())).containsExactly("1|null");
    fixture.materialize();
    assertThat(fixture.read(FreshFixture.all())).containsExactly("1|null");
  }

  @Test
  void b085_columnsGoByFieldIdWhateverTheirOrder() {
    fixture.create(
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.LongType.get()),
                NestedField.optional(2, "a", Types.StringType.get()),
                NestedField.optional(3, "b", Types.StringType.get())),
            Set.of(1)));
    fixture.upsert(fixture.row(1L, "a1", "b1"));
    fixture.append(BlockKind.UPSERT, List.of(fixture.row(2L, "a2", "b2")), Set.of(1, 3));
    fixture.table().updateSchema().moveFirst("b").commit();

    assertThat(fixture.read(FreshFixture.all())).containsExactly("b1|1|a1", "b2|2|null");
    fixture.materialize();
    assertThat(fixture.read(FreshFixture.all())).containsExactly("b1|1|a1", "b2|2|null");
  }

  @Test
  void b088_absentColumnsAreNullOrTheInitialDefaultOfWhatWasAddedLater() {
    fixture.create(SCHEMA);
    fixture.append(BlockKind.UPSERT, List.of(fixture.row(1L, "x")), Set.of(1));
    fixture.table().updateSchema().addColumn("n", Types.LongType.get(), Literal.of(5L)).commit();
    fixture.upsert(fixture.row(2L, "y", 6L));
    fixture.append(BlockKind.UPSERT, List.of(fixture.row(3L, "z", 7L)), Set.of(1, 2));

    List<String> expected = List.of("1|null|5", "2|y|6", "3|z|null");
    assertThat(fixture.read(FreshFixture.all())).isEqualTo(expected);
    assertThat(fixture.read("n = 5")).containsExactly("1|null|5");
    fixture.materialize();
    assertThat(fixture.read(FreshFixture.all())).isEqualTo(expected);
    assertThat(fixture.read("n = 5")).containsExactly("1|null|5");
  }

  @Test
  void b092_promotedFloatsAreTheWidenedFloatInLogAndBase() {
    fixture.create(
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.IntegerType.get()),
                NestedField.optional(2, "f", Types.FloatType.get())),
            Set.of(1)));
    fixture.upsert(fixture.row(1, 0.1f));
    fixture.materialize();
    fixture.upsert(fixture.row(2, 0.1f));
    fixture
        .table()
        .updateSchema()
        .updateColumn("f", Types.DoubleType.get())
        .updateColumn("id", Types.LongType.get())
        .commit();
    fixture.upsert(fixture.row(3L, (double) 0.1f), fixture.row(1L, 7.0));

    String widened = String.valueOf((double) 0.1f);
    assertThat(fixture.read(FreshFixture.all()))
        .containsExactly("1|7.0", "2|" + widened, "3|" + widened);
    assertThat(fixture.read("f = " + widened)).hasSize(2);
    assertThat(fixture.read("f = 0.1")).isEmpty();
  }
}
