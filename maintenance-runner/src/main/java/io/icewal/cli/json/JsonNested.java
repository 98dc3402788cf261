package io.icewal.cli.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/// Columns of structs (JSON objects), lists (arrays) and maps (objects where the key is a string,
/// else arrays of `{"key": …, "value": …}`, which string keys may use too).
///
/// Where a list starts in its element vector is the end of the list before it, so a row that is
/// written again takes its elements' places too.
final class JsonNested {
  private static final Set<String> NONE = Set.of();

  private JsonNested() {}

  static final class Structs extends JsonColumn {
    private final StructVector vector;
    private final JsonObjects fields;

    Structs(String path, Types.StructType type, StructVector vector, Set<Integer> keys) {
      super(path);
      this.vector = vector;
      List<FieldVector> children = vector.getChildrenFromFields();
      this.fields = new JsonObjects(path + ".", type.fields(), children, NONE, keys);
    }

    @Override
    FieldVector vector() {
      return vector;
    }

    @Override
    void readValue(JsonParser in, int index, RowFaults faults) throws IOException {
      if (in.currentToken() != JsonToken.START_OBJECT) {
        wrongKind(in, faults, "an object");
        return;
      }
      vector.setIndexDefined(index);
      fields.read(in, index, faults);
    }

    @Override
    void writeNull(int index) {
      vector.setNull(index);
      fields.writeNull(index);
    }
  }

  static final class Lists extends JsonColumn {
    private final ListVector vector;
    private final JsonColumn elements;

    Lists(String path, Types.ListType type, ListVector vector, Set<Integer> keys) {
      super(path);
      this.vector = vector;
      this.elements =
          JsonColumns.column(path + ".element", type.fields().get(0), vector.getDataVector(), keys);
    }

    @Override
    FieldVector vector() {
      return vector;
    }

    @Override
    void readValue(JsonParser in, int index, RowFaults faults) throws IOException {
      if (in.currentToken() != JsonToken.START_ARRAY) {
        wrongKind(in, faults, "an array");
        return;
      }
      int start = startList(vector, index);
      int count = 0;
      while (in.nextToken() != JsonToken.END_ARRAY) {
        elements.read(in, start + count, faults);
        count++;
      }
      vector.endValue(index, count);
    }

    @Override
    void writeNull(int index) {
      writeNullList(vector, index);
    }
  }

  static final class Maps extends JsonColumn {
    private final MapVector vector;
    private final StructVector entries;
    private final JsonObjects fields;
    private final JsonColumn keys;
    private final JsonColumn values;
    private final boolean stringKeys;

    Maps(String path, Types.MapType type, MapVector vector, Set<Integer> keyIds) {
      super(path);
      this.vector = vector;
      this.entries = (StructVector) vector.getDataVector();
      List<FieldVector> children = entries.getChildrenFromFields();
      this.fields = new JsonObjects(path + ".", type.fields(), children, NONE, keyIds);
      this.keys = JsonColumns.column(path + ".key", type.fields().get(0), children.get(0), keyIds);
      this.values =
          JsonColumns.column(path + ".value", type.fields().get(1), children.get(1), keyIds);
      this.stringKeys = type.keyType().typeId() == Type.TypeID.STRING;
    }

    @Override
    FieldVector vector() {
      return vector;
    }

    @Override
    void readValue(JsonParser in, int index, RowFaults faults) throws IOException {
      JsonToken token = in.currentToken();
      if (token == JsonToken.START_ARRAY) {
        readEntries(in, index, faults);
      } else if (token == JsonToken.START_OBJECT && stringKeys) {
        readObject(in, index, faults);
      } else {
        String entry = "an array of {\"key\": …, \"value\": …}";
        wrongKind(in, faults, stringKeys ? "an object or " + entry : entry);
      }
    }

    private void readObject(JsonParser in, int index, RowFaults faults) throws IOException {
      int start = startList(vector, index);
      int count = 0;
      while (in.nextToken() != JsonToken.END_OBJECT) {
        entries.setIndexDefined(start + count);
        keys.readValue(in, start + count, faults);
        in.nextToken();
        values.read(in, start + count, faults);
        count++;
      }
      vector.endValue(index, count);
    }

    private void readEntries(JsonParser in, int index, RowFaults faults) throws IOException {
      int start = startList(vector, index);
      int count = 0;
      while (in.nextToken() != JsonToken.END_ARRAY) {
        if (in.currentToken() != JsonToken.START_OBJECT) {
          wrongKind(in, faults, "an object {\"key\": …, \"value\": …}");
          continue;
        }
        entries.setIndexDefined(start + count);
        fields.read(in, start + count, faults);
        count++;
      }
      vector.endValue(index, count);
    }

    @Override
    void writeNull(int index) {
      writeNullList(vector, index);
    }
  }

  private static int startList(ListVector vector, int index) {
    vector.setLastSet(Math.min(vector.getLastSet(), index - 1));
    return vector.startNewValue(index);
  }

  private static void writeNullList(ListVector vector, int index) {
    vector.setLastSet(Math.min(vector.getLastSet(), index - 1));
    vector.setNull(index);
  }
}
