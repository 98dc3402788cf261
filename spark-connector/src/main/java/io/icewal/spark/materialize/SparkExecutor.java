package io.icewal.spark.materialize;

import io.icewal.materialize.CyclePlan;
import io.icewal.materialize.LocalExecutor;
import io.icewal.materialize.MaterializeConfig;
import io.icewal.materialize.PartExecutor;
import io.icewal.materialize.PartServices;
import io.icewal.materialize.Parts;
import io.icewal.spark.services.WarehouseSettings;
import org.apache.spark.sql.SparkSession;

/// Works on small cycles in the driver, and on others by jobs of Spark.
public final class SparkExecutor implements PartExecutor {
  /// Bounds what the driver keeps of a cycle: locations of files, and numbers of replaced rows.
  private static final long CYCLE_BYTES_MAX = 64L << 30;

  private final SparkSession spark;
  private final WarehouseSettings settings;
  private final PartServices services;
  private final MaterializeOptions options;

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

  @Override
  public Parts begin(CyclePlan plan) {
    return plan.rawBytes() <= options.driverBytesMax()
        ? new LocalExecutor(services).begin(plan)
        : new SparkParts(spark, settings, services, plan);
  }
}
