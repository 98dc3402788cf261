package io.icewal.spark;

import io.icewal.sql.OracleContract;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SparkServer.Shared.class)
class OracleTest extends OracleContract {
  OracleTest(SparkServer spark) {
    super(new SparkOracle(spark));
  }
}
