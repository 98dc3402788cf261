package io.icewal.spark.write;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.statement.StatementTable;
import java.util.Arrays;
import java.util.List;
import org.apache.iceberg.Schema;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.catalyst.types.DataTypeUtils;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/// The columns of rows that are to be written, and which of the table's they are. Spark brings
/// those of statements into the table's order and types; those of streams come as they are.
final class GivenColumns {
  private final String table;
  private final List<NestedField> wanted;
  private final StructField[] given;
  private final int[] ordinals;

  private GivenColumns(
      String table, List<NestedField> wanted, StructField[] given, int[] ordinals) {
    this.table = table;
    this.wanted = wanted;
    this.given = given;
    this.ordinals = ordinals;
  }

  /// Finds all columns of a table by their names.
  ///
  /// @throws IcewalException INVALID if one is missing, or there is one more
  static GivenColumns of(StatementTable table, StructType rows) {
    Schema schema = table.schema();
    List<String> names = schema.columns().stream().map(NestedField::name).toList();
    List<String> given = Arrays.asList(rows.fieldNames());
    int[] ordinals = names.stream().mapToInt(name -> ordinal(given, name)).toArray();
    boolean isEach = Arrays.stream(ordinals).distinct().count() == names.size();
    if (!isEach || given.size() != names.size() || Arrays.stream(ordinals).anyMatch(i -> i < 0)) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "rows for table " + table.name() + " have columns " + given + ", expected " + names);
    }
    return new GivenColumns(table.name(), schema.columns(), rows.fields(), ordinals);
  }

  private static int ordinal(List<String> given, String name) {
    int exact = given.indexOf(name);
    for (int i = 0; exact < 0 && i < given.size(); i++) {
      if (given.get(i).equalsIgnoreCase(name)) {
        return i;
      }
    }
    return exact;
  }

  /// Where each of the table's columns is in a row.
  int[] ordinals() {
    return ordinals.clone();
  }

  /// @throws IcewalException INVALID if a column has another type than in the table
  void requireTypes() {
    for (int i = 0; i < ordinals.length; i++) {
      DataType type = given[ordinals[i]].dataType();
      DataType expected = SparkSchemaUtil.convert(wanted.get(i).type());
      if (!DataTypeUtils.sameType(type, expected)) {
        throw new IcewalException(
            ErrorKind.INVALID,
            "column "
                + wanted.get(i).name()
                + " of a stream for table "
                + table
                + " is "
                + type.sql()
                + ", expected "
                + expected.sql()
                + ": cast it");
      }
    }
  }
}
