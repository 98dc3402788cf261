package io.icewal.spark.materialize;

import io.icewal.materialize.MaterializeConfig;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import org.apache.spark.sql.SparkSession;

/// How a session materializes.
///
/// @param driverBytesMax decompressed bytes of rows up to which the driver does it alone
/// @param partBytes decompressed bytes of rows that one task works on
record MaterializeOptions(long driverBytesMax, long partBytes) {
  static final String DRIVER_BYTES_MAX = "spark.sql.icewal.materialize-driver-bytes-max";
  static final String PART_BYTES = "spark.sql.icewal.materialize-part-bytes";

  private static final long DRIVER_BYTES_MAX_DEFAULT = 256L << 20;

  static MaterializeOptions of(SparkSession spark) {
    return new MaterializeOptions(
        number(spark, DRIVER_BYTES_MAX, DRIVER_BYTES_MAX_DEFAULT, 0),
        number(spark, PART_BYTES, MaterializeConfig.CYCLE_BYTES_MAX_DEFAULT, 1));
  }

  private static long number(SparkSession spark, String name, long standard, long min) {
    String text = spark.conf().get(name, Long.toString(standard));
    try {
      long number = Long.parseLong(text);
      if (number >= min) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw new IcewalException(
          ErrorKind.INVALID, name + " must be a number of bytes, got '" + text + "'", e);
    }
    throw new IcewalException(
        ErrorKind.INVALID, name + " must be at least " + min + ", got " + text);
  }
}
