package io.icewal.spark.ddl;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/// The table property that names the columns of the primary key.
public final class PrimaryKey {
  /// Column names, parted by commas.
  public static final String PROPERTY = "primary-key";

  private PrimaryKey() {}

  /// The columns that the property names, as the schema writes them; none without the property.
  ///
  /// @throws IcewalException INVALID for a column that the schema does not have
  static List<String> columns(Map<String, String> properties, StructType schema) {
    @Nullable String text = properties.get(PROPERTY);
    if (text == null) {
      return List.of();
    }
    List<String> columns = new ArrayList<>();
    for (String name : text.split(",", -1)) {
      columns.add(find(name.strip(), schema));
    }
    return columns;
  }

  private static String find(String name, StructType schema) {
    List<String> names = Arrays.asList(schema.fieldNames());
    if (names.contains(name)) {
      return name;
    }
    Optional<String> found = names.stream().filter(name::equalsIgnoreCase).findFirst();
    return found.orElseThrow(
        () ->
            new IcewalException(
                ErrorKind.INVALID,
                PROPERTY + " names column '" + name + "', which the table does not have"));
  }

  /// The schema with the columns of the key NOT NULL, said or not.
  static StructType withRequired(StructType schema, List<String> key) {
    StructField[] fields = schema.fields().clone();
    for (int i = 0; i < fields.length; i++) {
      if (key.contains(fields[i].name())) {
        fields[i] =
            new StructField(fields[i].name(), fields[i].dataType(), false, fields[i].metadata());
      }
    }
    return new StructType(fields);
  }
}
