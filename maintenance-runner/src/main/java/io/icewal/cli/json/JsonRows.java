package io.icewal.cli.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import io.icewal.model.ArrowSchemas;
import io.icewal.model.Verdict;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types.NestedField;

/// Reads batches of JSON lines into one set of Arrow columns, used again for every batch.
///
/// All fields of the Arrow schema are nullable, whatever the table says: a required value that is
/// not there is a verdict on its row, here already. Owns its vectors. Not thread-safe.
public final class JsonRows implements AutoCloseable {
  /// Which columns are sent.
  public enum Columns {
    ALL,
    /// The key's columns alone; the others may be in the file and are stepped over.
    KEY
  }

  /// The rows of one batch.
  ///
  /// @param rows the good rows; valid until the next batch is read
  /// @param lines for each row, its line's index in the batch
  /// @param verdicts what is wrong with the others; their row is the line's index in the batch
  public record Converted(VectorSchemaRoot rows, int[] lines, List<Verdict> verdicts) {}

  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxStringLength(NdjsonSource.LINE_BYTES_MAX)
                  .maxNestingDepth(200)
                  .build())
          .build();

  private final VectorSchemaRoot rows;
  private final JsonObjects fields;

  public JsonRows(Schema schema, Columns columns, BufferAllocator allocator) {
    List<NestedField> sent = new ArrayList<>(schema.columns());
    Set<String> ignored = Set.of();
    if (columns == Columns.KEY) {
      Set<Integer> tops = keyColumns(schema);
      sent.removeIf(column -> !tops.contains(column.fieldId()));
      ignored = schema.columns().stream().map(NestedField::name).collect(Collectors.toSet());
    }
    List<Field> arrow = sent.stream().map(f -> nullable(ArrowSchemas.toArrow(f))).toList();
    this.rows =
        VectorSchemaRoot.create(new org.apache.arrow.vector.types.pojo.Schema(arrow), allocator);
    this.fields =
        new JsonObjects("", sent, rows.getFieldVectors(), ignored, schema.identifierFieldIds());
  }

  /// The Arrow schema of all batches.
  public org.apache.arrow.vector.types.pojo.Schema schema() {
    return rows.getSchema();
  }

  /// Reads all lines of the batch. The rows of the batch before need not be there any more.
  public Converted convert(LineBatch batch) throws IOException {
    RowFaults faults = new RowFaults();
    int[] lines = new int[batch.count()];
    int row = 0;
    for (int line = 0; line < batch.count(); line++) {
      int before = faults.count();
      faults.at(line);
      readLine(batch, line, row, faults);
      if (faults.count() == before) {
        lines[row++] = line;
      }
    }
    rows.setRowCount(row);
    return new Converted(rows, Arrays.copyOf(lines, row), faults.verdicts());
  }

  private void readLine(LineBatch batch, int line, int row, RowFaults faults) throws IOException {
    try (JsonParser in = JSON.createParser(batch.bytes(), batch.start(line), batch.length(line))) {
      if (in.nextToken() != JsonToken.START_OBJECT) {
        faults.add("", "json", batch.text(line), "expected a JSON object on the line");
        return;
      }
      fields.read(in, row, faults);
      if (in.nextToken() != null) {
        faults.add("", "json", batch.text(line), "more follows after the JSON object");
      }
    } catch (JsonProcessingException e) {
      String where = e.getLocation() == null ? "" : " at column " + e.getLocation().getColumnNr();
      faults.add("", "json", batch.text(line), "not JSON" + where + ": " + reason(e));
    }
  }

  /// The top-level columns in which the key's fields stand.
  private static Set<Integer> keyColumns(Schema schema) {
    return schema.identifierFieldIds().stream()
        .map(id -> schema.findColumnName(id))
        .map(name -> topLevel(schema, name))
        .collect(Collectors.toSet());
  }

  private static int topLevel(Schema schema, String name) {
    for (NestedField column : schema.columns()) {
      if (name.equals(column.name()) || name.startsWith(column.name() + ".")) {
        return column.fieldId();
      }
    }
    throw new IllegalStateException("key field " + name + " is in no column of " + schema);
  }

  private static Field nullable(Field field) {
    FieldType type = new FieldType(true, field.getType(), null, field.getMetadata());
    boolean map = field.getType() instanceof org.apache.arrow.vector.types.pojo.ArrowType.Map;
    List<Field> children =
        map ? field.getChildren() : field.getChildren().stream().map(JsonRows::nullable).toList();
    return new Field(field.getName(), type, children);
  }

  @Override
  public void close() {
    rows.close();
  }

  /// What a line is refused for, without the parser's words on where its source is from.
  public static String reason(JsonProcessingException error) {
    return error.getOriginalMessage().replaceAll(" \\(start marker at .*", "");
  }
}
