package io.icewal.parquet;

import io.icewal.model.ArrowSchemas;
import io.icewal.model.PartitionRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/// Finds the partition of each row, for every transform of Iceberg, column by column.
///
/// 1. Each partition field numbers its distinct values over the batch.
/// 2. Field after field, the pair of a row's group so far and its value's number is numbered again.
/// 3. Rows are laid out by group, those of one group in their order.
///
/// Immutable; thread-safe. The memory of a call is bounded by the rows of its batch, whatever the
/// number of partitions.
public final class PartitionRouter {
  private final Types.StructType partitionType;
  private final List<Source> sources = new ArrayList<>();

  /// One partition field.
  ///
  /// @param place its place in the spec
  /// @param path field ids from the top-level column down to the source
  private record Source(
      int place,
      int[] path,
      @Nullable Type type,
      RowTransform transform,
      @Nullable PartitionRange range) {}

  private PartitionRouter(PartitionSpec spec, Schema schema, boolean ofKeys) {
    Map<Integer, Integer> parents = TypeUtil.indexParents(schema.asStruct());
    List<Types.NestedField> partitionFields = new ArrayList<>();
    for (int place = 0; place < spec.fields().size(); place++) {
      PartitionField field = spec.fields().get(place);
      RowTransform transform = RowTransform.of(field.transform());
      Type type = schema.findType(field.sourceId());
      if (ofKeys && (type == null || transform.kind() == RowTransform.Kind.VOID)) {
        continue;
      }
      String name = schema.findColumnName(field.sourceId());
      PartitionRange range =
          ofKeys || type == null || name == null
              ? null
              : PartitionRange.of(field.transform(), type, field.sourceId(), name);
      sources.add(new Source(place, path(field.sourceId(), parents), type, transform, range));
      partitionFields.add(spec.partitionType().fields().get(place));
    }
    partitionType = Types.StructType.of(partitionFields);
  }

  /// Routes rows that are to be written. A value that a transform has no result for is refused.
  ///
  /// @param schema the schema that the spec's source ids refer to
  public static PartitionRouter ofRows(PartitionSpec spec, Schema schema) {
    return new PartitionRouter(spec, schema, false);
  }

  /// Routes keys by what follows of their partition from the key: the fields whose source is in it.
  /// Where a transform has no result for a value, the partition is the one in which Iceberg's
  /// arithmetic puts it.
  ///
  /// @param keySchema the key columns
  public static PartitionRouter ofKeys(PartitionSpec spec, Schema keySchema) {
    return new PartitionRouter(spec, keySchema, true);
  }

  private static int[] path(int sourceId, Map<Integer, Integer> parents) {
    List<Integer> path = new ArrayList<>(List.of(sourceId));
    for (Integer at = parents.get(sourceId); at != null; at = parents.get(at)) {
      path.add(0, at);
    }
    return path.stream().mapToInt(Integer::intValue).toArray();
  }

  /// The type of the partitions: of the fields that are routed by.
  public Types.StructType partitionType() {
    return partitionType;
  }

  /// What this routes by of a partition of the whole spec.
  public PartitionData project(StructLike partition) {
    PartitionData out = new PartitionData(partitionType);
    for (int i = 0; i < sources.size(); i++) {
      out.set(i, partition.get(sources.get(i).place, Object.class));
    }
    return out;
  }

  /// Refuses a spec with a transform that is not known.
  ///
  /// @throws io.icewal.model.IcewalException INVALID, naming it
  public static void check(PartitionSpec spec) {
    spec.fields().forEach(field -> RowTransform.of(field.transform()));
  }

  /// The rows by partition, partitions in the order of their first row. All rows are in one group
  /// if the spec is unpartitioned. A source column that is not in `rows` is null.
  public List<PartitionRows> route(VectorSchemaRoot rows) {
    int count = rows.getRowCount();
    if (count == 0) {
      return List.of();
    }
    List<PartitionColumn> columns = new ArrayList<>();
    int[] groups = new int[count];
    int groupCount = 1;
    for (Source source : sources) {
      PartitionColumn column = column(source, rows, count);
      columns.add(column);
      groupCount = refine(groups, column);
    }
    return layOut(groups, groupCount, columns);
  }

  private static PartitionColumn column(Source source, VectorSchemaRoot rows, int count) {
    Type type = source.type;
    FieldVector vector = null;
    List<FieldVector> parents = new ArrayList<>();
    if (source.transform.kind() != RowTransform.Kind.VOID && type != null) {
      List<FieldVector> siblings = rows.getFieldVectors();
      for (int id : source.path) {
        if (vector != null) {
          parents.add(vector);
        }
        vector = ArrowSchemas.find(siblings, id);
        if (vector == null) {
          break;
        }
        siblings = vector.getChildrenFromFields();
      }
    }
    PartitionColumn column =
        new PartitionColumn(
            source.transform, type == null ? Types.UnknownType.get() : type, source.range, count);
    if (vector != null) {
      column.fill(vector, parents);
    }
    return column;
  }

  private static int refine(int[] groups, PartitionColumn column) {
    NumberDictionary pairs = new NumberDictionary();
    for (int row = 0; row < groups.length; row++) {
      long pair = (long) groups[row] << Integer.SIZE | (column.id(row) & 0xFFFFFFFFL);
      groups[row] = pairs.idOf(pair);
    }
    return pairs.size();
  }

  private List<PartitionRows> layOut(int[] groups, int groupCount, List<PartitionColumn> columns) {
    int[] sizes = new int[groupCount];
    for (int group : groups) {
      sizes[group]++;
    }
    int[][] rows = new int[groupCount][];
    for (int group = 0; group < groupCount; group++) {
      rows[group] = new int[sizes[group]];
    }
    Arrays.fill(sizes, 0);
    for (int row = 0; row < groups.length; row++) {
      rows[groups[row]][sizes[groups[row]]++] = row;
    }
    List<PartitionRows> routed = new ArrayList<>();
    for (int[] ofGroup : rows) {
      PartitionData partition = new PartitionData(partitionType);
      for (int i = 0; i < columns.size(); i++) {
        partition.set(i, columns.get(i).value(ofGroup[0]));
      }
      routed.add(new PartitionRows(partition, ofGroup));
    }
    return routed;
  }
}
