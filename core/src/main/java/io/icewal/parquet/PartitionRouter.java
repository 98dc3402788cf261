package io.icewal.parquet;

import io.icewal.model.ArrowSchemas;
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
  private final PartitionSpec spec;
  private final List<Source> sources = new ArrayList<>();

  /// @param path field ids from the top-level column down to the source
  private record Source(int[] path, @Nullable Type type, RowTransform transform) {}

  /// @param schema the schema that the spec's source ids refer to
  public PartitionRouter(PartitionSpec spec, Schema schema) {
    this.spec = spec;
    Map<Integer, Integer> parents = TypeUtil.indexParents(schema.asStruct());
    for (PartitionField field : spec.fields()) {
      List<Integer> path = new ArrayList<>(List.of(field.sourceId()));
      Integer parent = parents.get(field.sourceId());
      for (; parent != null; parent = parents.get(parent)) {
        path.add(0, parent);
      }
      sources.add(
          new Source(
              path.stream().mapToInt(Integer::intValue).toArray(),
              schema.findType(field.sourceId()),
              RowTransform.of(field.transform())));
    }
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
        new PartitionColumn(source.transform, type == null ? Types.UnknownType.get() : type, count);
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
      PartitionData partition = new PartitionData(spec.partitionType());
      for (int i = 0; i < columns.size(); i++) {
        partition.set(i, columns.get(i).value(ofGroup[0]));
      }
      routed.add(new PartitionRows(partition, ofGroup));
    }
    return routed;
  }
}
