package io.icewal.spark;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.Trigger;

/// Runs streams of tables, and keeps the rows of each batch that has any.
final class CollectedStreams {
  private final SparkSession spark;
  private final Path folder;
  private final List<List<String>> batches = new CopyOnWriteArrayList<>();

  /// @param folder has the checkpoints
  CollectedStreams(SparkSession spark, Path folder) {
    this.spark = spark;
    this.folder = folder;
  }

  Dataset<Row> read(String table, Map<String, String> options) {
    return spark.readStream().format("icewal").options(options).load("s." + table);
  }

  Dataset<Row> read(String table) {
    return read(table, Map.of());
  }

  /// What has arrived, since [#run] was called.
  List<List<String>> batches() {
    return batches;
  }

  /// What arrives becomes [#batches].
  DataStreamWriter<Row> collect(Dataset<Row> rows, String checkpoint) {
    return rows.writeStream()
        .option("checkpointLocation", folder.resolve(checkpoint).toString())
        .trigger(Trigger.AvailableNow())
        .foreachBatch(
            (Dataset<Row> batch, Long epoch) -> {
              List<String> arrived = SparkServer.rows(batch);
              if (!arrived.isEmpty()) {
                batches.add(arrived);
              }
            });
  }

  /// All that is there.
  List<List<String>> run(Dataset<Row> rows, String checkpoint) throws Exception {
    batches.clear();
    collect(rows, checkpoint).start().awaitTermination();
    return List.copyOf(batches);
  }

  /// The query fails within a batch, which is then done again after a restart.
  void dieInBatch(long dies, Dataset<Row> rows, String checkpoint) {
    assertThatThrownBy(
            () ->
                collect(rows, checkpoint)
                    .foreachBatch(
                        (Dataset<Row> batch, Long epoch) -> {
                          if (epoch == dies) {
                            throw new IllegalStateException("dies");
                          }
                        })
                    .start()
                    .awaitTermination())
        .hasStackTraceContaining("dies");
  }
}
