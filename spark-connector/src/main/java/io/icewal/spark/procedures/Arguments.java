package io.icewal.spark.procedures;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter;
import org.apache.spark.sql.types.DataTypes;
import org.jspecify.annotations.Nullable;

/// The arguments of one call, by name.
final class Arguments {
  private final String procedure;
  private final ProcedureParameter[] parameters;
  private final InternalRow values;

  Arguments(String procedure, ProcedureParameter[] parameters, InternalRow values) {
    this.procedure = procedure;
    this.parameters = parameters;
    this.values = values;
  }

  private int place(String name) {
    for (int i = 0; i < parameters.length; i++) {
      if (parameters[i].name().equals(name)) {
        return i;
      }
    }
    throw new IllegalStateException("procedure " + procedure + " has no parameter " + name);
  }

  /// The place of a value; -1 for null.
  private int given(String name) {
    int place = place(name);
    return values.isNullAt(place) ? -1 : place;
  }

  @Nullable String textOrNull(String name) {
    int place = given(name);
    return place < 0 ? null : values.getUTF8String(place).toString();
  }

  String text(String name) {
    String text = textOrNull(name);
    if (text == null) {
      throw new IcewalException(
          ErrorKind.INVALID, "procedure " + procedure + " needs the argument " + name);
    }
    return text;
  }

  @Nullable Long numberOrNull(String name) {
    int place = given(name);
    return place < 0 ? null : values.getLong(place);
  }

  boolean flag(String name) {
    int place = given(name);
    return place >= 0 && values.getBoolean(place);
  }

  @Nullable List<String> textsOrNull(String name) {
    int place = given(name);
    if (place < 0) {
      return null;
    }
    ArrayData array = values.getArray(place);
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < array.numElements(); i++) {
      if (array.isNullAt(i)) {
        throw new IcewalException(
            ErrorKind.INVALID,
            "procedure " + procedure + ": element " + i + " of " + name + " is null");
      }
      texts.add(array.getUTF8String(i).toString());
    }
    return texts;
  }

  static ProcedureParameter table() {
    return ProcedureParameter.in("table", DataTypes.StringType)
        .comment("the table's name, with its namespace")
        .build();
  }
}
