package io.icewal.trino;

import io.icewal.parquet.RandomRows;
import io.icewal.sql.TailTypesContract;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(TrinoServer.Shared.class)
class TailTypesTest extends TailTypesContract {
  TailTypesTest(TrinoServer trino) {
    super(trino, RandomRows.PRIMITIVES);
  }
}
