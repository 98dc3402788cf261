package io.icewal.spark.materialize;

import io.icewal.materialize.CyclePlan;
import io.icewal.materialize.KeyRanges;
import io.icewal.materialize.PartResult;
import io.icewal.materialize.PartServices;
import io.icewal.materialize.PartTask;
import io.icewal.materialize.Parts;
import io.icewal.materialize.RunBytes;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.spark.services.WarehouseSettings;
import io.icewal.table.FoundRows;
import io.icewal.table.LiveFiles;
import io.icewal.wal.BlockRef;
import io.icewal.wal.BlockReferences;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.iceberg.Table;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.util.SerializationUtil;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkThrowable;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.api.java.function.PairFlatMapFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.SparkSession;
import scala.Tuple2;

/// The rows of one cycle on executors.
///
/// Of a keyed table, one job sorts blocks and shuffles the runs by key range; a task with a range
/// merges them. Spark keeps what was shuffled, so that a second task with all parts, after a
/// conflict, does not sort again. Of an append-only table, a part is a group of blocks.
///
/// What travels is bytes, so that it does not matter which serializer Spark is set to.
final class SparkParts implements Parts {
  /// Parts of a cycle at most.
  private static final int PARTS_MAX = 10_000;

  /// Some consecutive blocks.
  private record Group(int number, byte[] references) implements Serializable {
    List<BlockRef> blocks() {
      return BlockReferences.fromBytes(references);
    }
  }

  /// Sorts a group and cuts it by key range.
  private record Sort(PartSite site, int groups, KeyRanges ranges)
      implements PairFlatMapFunction<byte[], Integer, byte[]> {
    @Override
    public Iterator<Tuple2<Integer, byte[]>> call(byte[] task) {
      Group group = SerializationUtil.deserializeFromBytes(task);
      List<Tuple2<Integer, byte[]>> out = new ArrayList<>();
      site.with(work -> work.sort(group.blocks(), group.number(), groups, ranges))
          .forEach((range, run) -> out.add(new Tuple2<>(range, run.toBytes())));
      return out.iterator();
    }
  }

  /// Does a task with the rows of a key range.
  private record Upsert(PartSite site, Broadcast<Table> now, PartTask task, boolean truncated)
      implements FlatMapFunction<Iterator<Tuple2<Integer, byte[]>>, byte[]> {
    @Override
    public Iterator<byte[]> call(Iterator<Tuple2<Integer, byte[]>> runs) {
      Iterator<RunBytes> read = stream(runs).map(run -> RunBytes.fromBytes(run._2())).iterator();
      PartResult.Sent done =
          site.with(
              work ->
                  work.upsert(read, truncated, task, now.value(), PartSite.fileName(task.name())));
      return List.of(SerializationUtil.serializeToBytes(done)).iterator();
    }

    private static <T> Stream<T> stream(Iterator<T> items) {
      Iterable<T> all = () -> items;
      return StreamSupport.stream(all.spliterator(), /* parallel= */ false);
    }
  }

  /// Writes a group of blocks of an append-only table.
  private record Append(PartSite site, String task)
      implements org.apache.spark.api.java.function.Function<byte[], byte[]> {
    @Override
    public byte[] call(byte[] part) {
      Group group = SerializationUtil.deserializeFromBytes(part);
      return SerializationUtil.serializeToBytes(
          site.with(work -> work.append(group.blocks(), PartSite.fileName(task))));
    }
  }

  private final JavaSparkContext spark;
  private final PartServices services;
  private final CyclePlan plan;
  private final PartSite site;
  private final Function<PartTask, Function<Broadcast<Table>, List<byte[]>>> job;

  /// @param services of the driver; their bounds are those of a task
  SparkParts(
      SparkSession session, WarehouseSettings settings, PartServices services, CyclePlan plan) {
    this.spark = JavaSparkContext.fromSparkContext(session.sparkContext());
    this.services = services;
    this.plan = plan;
    long partBytes = services.config().cycleBytesMax();
    this.site = new PartSite(settings, spark.broadcast(SentTable.of(plan.table())), partBytes);
    List<byte[]> groups = new ArrayList<>();
    for (List<BlockRef> blocks : plan.groups(partBytes)) {
      groups.add(
          SerializationUtil.serializeToBytes(
              new Group(groups.size(), BlockReferences.toBytes(blocks))));
    }
    JavaRDD<byte[]> all = spark.parallelize(groups, Math.max(1, groups.size()));
    this.job = plan.key().isEmpty() ? appends(all) : upserts(all, groups.size(), partBytes);
  }

  private Function<PartTask, Function<Broadcast<Table>, List<byte[]>>> appends(
      JavaRDD<byte[]> groups) {
    PartSite where = site;
    return task -> now -> groups.map(new Append(where, task.name())).collect();
  }

  private Function<PartTask, Function<Broadcast<Table>, List<byte[]>>> upserts(
      JavaRDD<byte[]> groups, int groupCount, long partBytes) {
    long parts = Math.min(PARTS_MAX, plan.rawBytes() / partBytes + 1);
    KeyRanges ranges = KeyRanges.choose(plan, (int) parts, services.allocator());
    JavaPairRDD<Integer, byte[]> runs =
        groups
            .flatMapToPair(new Sort(site, groupCount, ranges))
            .partitionBy(new HashPartitioner(ranges.count()));
    boolean truncated = plan.truncates();
    PartSite where = site;
    return task -> now -> runs.mapPartitions(new Upsert(where, now, task, truncated)).collect();
  }

  @Override
  public List<PartResult> run(PartTask task, Table now) {
    Broadcast<Table> sent = spark.broadcast(SentTable.of(now));
    try {
      List<byte[]> results = job.apply(task).apply(sent);
      FoundRows.Reader reader =
          new FoundRows.Reader(LiveFiles.of(now, plan.key(), services.manifests()), now);
      return results.stream()
          .map(bytes -> SerializationUtil.<PartResult.Sent>deserializeFromBytes(bytes))
          .map(result -> result.received(reader))
          .toList();
    } catch (Exception e) { // Spark is Scala: it throws checked exceptions undeclared.
      throw failure(e);
    } finally {
      sent.destroy();
    }
  }

  /// What an executor said of its failure, if it did, in place of how Spark tells of it.
  private RuntimeException failure(Exception failure) {
    if (failure instanceof InterruptedException) {
      Thread.currentThread().interrupt();
    }
    if (failure instanceof IcewalException || failure instanceof NotFoundException) {
      return (RuntimeException) failure;
    }
    boolean cancelled = isCancelled(failure) || spark.sc().isStopped();
    Throwable root = failure;
    for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
      if (cause instanceof IcewalException said) {
        return new IcewalException(said.kind(), String.valueOf(said.getMessage()), failure);
      }
      if (cause instanceof NotFoundException) {
        return new NotFoundException(failure, "%s", cause.getMessage());
      }
      cancelled |= isCancelled(cause);
      root = cause;
    }
    return failure instanceof RuntimeException
        ? (RuntimeException) failure
        : new IcewalException(
            cancelled ? ErrorKind.UNAVAILABLE : ErrorKind.INTERNAL,
            "a Spark job with rows of "
                + plan.table().name()
                + (cancelled ? " was cancelled" : " failed")
                + ", and nothing of it counts: "
                + root,
            failure);
  }

  private static boolean isCancelled(Throwable failure) {
    return failure instanceof InterruptedException
        || (failure instanceof SparkThrowable told
            && "SPARK_JOB_CANCELLED".equals(told.getCondition()));
  }

  @Override
  public void close() {
    site.planned().destroy();
  }
}
