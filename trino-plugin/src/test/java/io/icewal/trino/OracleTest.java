package io.icewal.trino;

import io.icewal.sql.OracleContract;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(TrinoServer.Shared.class)
class OracleTest extends OracleContract {
  OracleTest(TrinoServer trino) {
    super(new TrinoOracle(trino));
  }
}
