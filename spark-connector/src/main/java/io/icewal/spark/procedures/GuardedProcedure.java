package io.icewal.spark.procedures;

import java.util.Iterator;
import java.util.function.Consumer;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.catalog.procedures.BoundProcedure;
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter;
import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.types.StructType;

/// A procedure of Iceberg's that is not run before its arguments were looked at.
///
/// @param guard throws if the procedure must not be run with the arguments
record GuardedProcedure(UnboundProcedure stock, Consumer<Arguments> guard)
    implements UnboundProcedure {
  private record Bound(BoundProcedure stock, Consumer<Arguments> guard) implements BoundProcedure {
    @Override
    public String name() {
      return stock.name();
    }

    @Override
    public String description() {
      return stock.description();
    }

    @Override
    public ProcedureParameter[] parameters() {
      return stock.parameters();
    }

    @Override
    public boolean isDeterministic() {
      return stock.isDeterministic();
    }

    @Override
    public Iterator<Scan> call(InternalRow input) {
      guard.accept(new Arguments(name(), parameters(), input));
      return stock.call(input);
    }
  }

  @Override
  public String name() {
    return stock.name();
  }

  @Override
  public String description() {
    return stock.description();
  }

  @Override
  public BoundProcedure bind(StructType inputType) {
    return new Bound(stock.bind(inputType), guard);
  }
}
