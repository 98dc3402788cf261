package io.icewal.spark.materialize;

import io.icewal.materialize.CyclePlan;
import io.icewal.materialize.LocalExecutor;
import io.icewal.materialize.MaterializeConfig;
import io.icewal.materialize.PartExecutor;
import io.icewal.materialize.PartServices;
import io.icewal.materialize.Parts;
import io.icewal.spark.services.WarehouseSettings;
import java.util.function.Function;
import org.apache.spark.network.util.JavaUtils;
import org.apache.spark.sql.SparkSession;

/// Works on small cycles in the driver, and on others by jobs of Spark.
public final class SparkExecutor implements PartExecutor {
  /// Bounds how many files the driver is told of.
  private static final long CYCLE_BYTES_MAX = 64L << 30;

  private static final String RESULT_BYTES = "spark.driver.maxResultSize";

  /// Spark's own. Without a bound of its own, what a driver can well take.
  private static final String RESULT_STANDARD = "1g";

  /// Bytes in which the driver is told of a replaced row. A bitmap takes two at most, but of a file
  /// of which next to nothing was replaced; the rest is for the names of the files.
  private static final long ROW_BYTES = 8;

  private final SparkSession spark;
  private final WarehouseSettings settings;
  private final PartServices services;
  private final MaterializeOptions options;

  /// Makes what works in the session that is active by then.
  public static Function<PartServices, PartExecutor> with(WarehouseSettings settings) {
    return services -> new SparkExecutor(SparkSession.active(), settings, services);
  }

  /// @param services of the driver
  public SparkExecutor(SparkSession spark, WarehouseSettings settings, PartServices services) {
    this.spark = spark;
    this.settings = settings;
    this.options = MaterializeOptions.of(spark);
    this.services =
        new PartServices(
            new MaterializeConfig(
                options.partBytes(),
                services.config().attemptsMax(),
                services.config().spillFolder()),
            services.allocator(),
            services.manifests(),
            services.keyPages());
  }

  @Override
  public long cycleBytesMax() {
    return CYCLE_BYTES_MAX;
  }

  /// So that the driver may be told that each row has replaced another one: Spark gives a job up
  /// whose results are larger.
  @Override
  public long cycleRowsMax() {
    long resultBytes = spark.sparkContext().conf().getSizeAsBytes(RESULT_BYTES, RESULT_STANDARD);
    long bytes = resultBytes == 0 ? JavaUtils.byteStringAsBytes(RESULT_STANDARD) : resultBytes;
    return Math.max(1, bytes / ROW_BYTES);
  }

  @Override
  public Parts begin(CyclePlan plan) {
    return plan.rawBytes() <= options.driverBytesMax()
        ? new LocalExecutor(services).begin(plan)
        : new SparkParts(spark, settings, services, plan);
  }
}
