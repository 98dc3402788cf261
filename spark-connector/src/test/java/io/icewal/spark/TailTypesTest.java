package io.icewal.spark;

import io.icewal.parquet.RandomRows;
import io.icewal.sql.TailTypesContract;
import java.util.List;
import org.apache.iceberg.types.Type;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SparkServer.Shared.class)
class TailTypesTest extends TailTypesContract {
  /// iceberg-spark does not load tables with others.
  static final List<Type> PRIMITIVES =
      RandomRows.PRIMITIVES.stream()
          .filter(
              type ->
                  type.typeId() != Type.TypeID.TIME && type.typeId() != Type.TypeID.TIMESTAMP_NANO)
          .toList();

  TailTypesTest(SparkServer spark) {
    super(spark, PRIMITIVES);
  }
}
