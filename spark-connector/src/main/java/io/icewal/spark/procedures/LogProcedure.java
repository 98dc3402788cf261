package io.icewal.spark.procedures;

import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.connector.catalog.procedures.BoundProcedure;
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter;
import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure;
import org.apache.spark.sql.connector.read.LocalScan;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/// One of icewal's own procedures: answers with one row.
///
/// @param summary what it does, in one sentence
/// @param result the columns of the row
/// @param body gives the values of the row: texts, numbers, lists of texts, nulls
record LogProcedure(
    String name,
    String summary,
    List<ProcedureParameter> takes,
    StructType result,
    Function<Arguments, List<@Nullable Object>> body)
    implements UnboundProcedure, BoundProcedure {
  private record Answer(StructType readSchema, InternalRow[] rows) implements LocalScan {}

  /// With the parameters: Spark shows no more than this of a procedure.
  @Override
  public String description() {
    return summary
        + ". Parameters: "
        + takes.stream()
            .map(
                parameter ->
                    parameter.name()
                        + " "
                        + parameter.dataType().sql()
                        + " ("
                        + parameter.comment()
                        + ")")
            .collect(Collectors.joining(", "));
  }

  @Override
  public BoundProcedure bind(StructType inputType) {
    return this;
  }

  @Override
  public ProcedureParameter[] parameters() {
    return takes.toArray(ProcedureParameter[]::new);
  }

  @Override
  public boolean isDeterministic() {
    return false;
  }

  @Override
  public Iterator<Scan> call(InternalRow input) {
    Object[] values =
        body.apply(new Arguments(name, parameters(), input)).stream()
            .map(LogProcedure::internal)
            .toArray();
    Scan answer = new Answer(result, new InternalRow[] {new GenericInternalRow(values)});
    return List.of(answer).iterator();
  }

  private static @Nullable Object internal(@Nullable Object value) {
    if (value instanceof String text) {
      return UTF8String.fromString(text);
    }
    if (value instanceof Collection<?> texts) {
      return new GenericArrayData(texts.stream().map(LogProcedure::internal).toArray());
    }
    return value;
  }
}
