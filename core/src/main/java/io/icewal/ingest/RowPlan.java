package io.icewal.ingest;

import io.icewal.model.ArrowSchemas;
import io.icewal.model.BlockKind;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.RowOp;
import io.icewal.model.Rule;
import io.icewal.model.Verdict;
import io.icewal.wal.BlockHeader;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// How the batches of one stream become rows of one table: made once for a stream, and again when
/// the table's schema changes. Immutable.
final class RowPlan {
  private final IngestTable table;
  private final List<PlannedColumn> upserts;
  private final List<PlannedColumn> deletes;
  private final org.apache.iceberg.Schema upsertSchema;
  private final org.apache.iceberg.Schema deleteSchema;
  private final @Nullable OpColumn op;
  private final PartitionCheck partitions;

  private RowPlan(
      IngestTable table,
      List<PlannedColumn> upserts,
      List<PlannedColumn> deletes,
      @Nullable OpColumn op) {
    this.table = table;
    this.upserts = upserts;
    this.deletes = deletes;
    this.upsertSchema = storedSchema(table, upserts);
    this.deleteSchema = keySchema(table);
    this.op = op;
    this.partitions = new PartitionCheck(table);
  }

  /// @throws IcewalException INVALID if the columns do not fit the table; the verdicts name them
  static RowPlan of(
      IngestTable table, StreamOptions.Op op, Schema arrowSchema, DictionaryProvider dictionaries) {
    if (table.isAppendOnly() && op != StreamOptions.Op.UPSERT) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "table " + table.name() + " has no key: rows can be added, not deleted");
    }
    List<Verdict> problems = new ArrayList<>();
    ConverterPlanner planner =
        new ConverterPlanner(
            dictionaries, keyPath(table), ConverterPlanner.Others.REFUSED, problems);
    List<Field> sent = arrowSchema.getFields();
    List<PlannedColumn> upserts = List.of();
    List<PlannedColumn> deletes = List.of();
    OpColumn opColumn = null;
    if (op == StreamOptions.Op.COLUMN) {
      opColumn = OpColumn.plan(sent, planner, problems);
    }
    if (op != StreamOptions.Op.DELETE) {
      upserts = planUpserts(table, sent, planner, op == StreamOptions.Op.COLUMN);
    }
    if (op == StreamOptions.Op.DELETE || (op == StreamOptions.Op.COLUMN && problems.isEmpty())) {
      refuseOp(sent, op, problems);
      deletes =
          new ConverterPlanner(
                  dictionaries, keyPath(table), ConverterPlanner.Others.IGNORED, problems)
              .matcher()
              .matchColumns(sent, keySchema(table).columns(), true);
    }
    if (problems.isEmpty() && upserts.isEmpty() && deletes.isEmpty()) {
      problems.add(Rules.schema("", Rule.MISSING_COLUMN, null, "no column with values was sent"));
    }
    if (!problems.isEmpty()) {
      throw refusal(table, problems);
    }
    return new RowPlan(table, upserts, deletes, opColumn);
  }

  /// The key's columns, with as much of their structs as holds the key.
  static org.apache.iceberg.Schema keySchema(IngestTable table) {
    return new org.apache.iceberg.Schema(
        TypeUtil.select(table.schema(), table.keyFieldIds()).columns(), table.keyFieldIds());
  }

  BlockHeader header(BlockKind kind) {
    return new BlockHeader(
        table.id(),
        table.name().toString(),
        table.schema().schemaId(),
        table.lastColumnId(),
        kind == BlockKind.DELETE ? deleteSchema : upsertSchema,
        kind);
  }

  /// The columns stored for rows of that kind.
  List<PlannedColumn> columns(BlockKind kind) {
    return kind == BlockKind.DELETE ? deletes : upserts;
  }

  /// Null when all rows of the stream do the same.
  @Nullable OpColumn op() {
    return op;
  }

  /// What rows do when there is no op column.
  BlockKind kind() {
    return upserts.isEmpty() && !deletes.isEmpty() ? BlockKind.DELETE : BlockKind.UPSERT;
  }

  /// What converted rows must fulfil to be written to the table's partitions.
  PartitionCheck partitions() {
    return partitions;
  }

  private static List<PlannedColumn> planUpserts(
      IngestTable table, List<Field> sent, ConverterPlanner planner, boolean hasOp) {
    List<PlannedColumn> planned =
        planner.matcher().matchColumns(sent, table.schema().columns(), hasOp);
    // A column of type unknown is null wherever it is read; it need not be stored.
    return planned.stream()
        .filter(column -> !(column.field().getType() instanceof ArrowType.Null))
        .toList();
  }

  private static void refuseOp(List<Field> sent, StreamOptions.Op op, List<Verdict> problems) {
    if (op == StreamOptions.Op.DELETE
        && sent.stream().anyMatch(field -> field.getName().equals(RowOp.COLUMN))) {
      problems.add(
          Rules.schema(
              RowOp.COLUMN,
              Rule.UNKNOWN_COLUMN,
              null,
              "all rows of this stream delete, yet it has a column '_op'; open the stream with an"
                  + " op column, or do not send it"));
    }
  }

  private static org.apache.iceberg.Schema storedSchema(
      IngestTable table, List<PlannedColumn> columns) {
    Set<Integer> ids = new HashSet<>();
    columns.forEach(column -> ids.add(ArrowSchemas.fieldId(column.field())));
    List<NestedField> stored =
        table.schema().columns().stream().filter(field -> ids.contains(field.fieldId())).toList();
    return new org.apache.iceberg.Schema(
        stored, columns.isEmpty() ? Set.of() : table.keyFieldIds());
  }

  private static Set<Integer> keyPath(IngestTable table) {
    Map<Integer, Integer> parents = TypeUtil.indexParents(table.schema().asStruct());
    Set<Integer> path = new HashSet<>();
    for (Integer id : table.keyFieldIds()) {
      for (Integer at = id; at != null; at = parents.get(at)) {
        path.add(at);
      }
    }
    return path;
  }

  private static IcewalException refusal(IngestTable table, List<Verdict> problems) {
    StringBuilder message =
        new StringBuilder("the columns do not fit table " + table.name() + ": ");
    for (int i = 0; i < problems.size(); i++) {
      message.append(i == 0 ? "" : "; ").append(problems.get(i).message());
    }
    return new IcewalException(message.toString(), problems);
  }
}
