package io.icewal.spark.read;

import io.icewal.merge.KeyVector;
import io.icewal.read.KeySlice;
import io.icewal.spark.services.Warehouse;
import io.icewal.spark.services.WarehouseSettings;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Table;
import org.apache.iceberg.spark.source.SerializableTableWithSize;
import org.apache.iceberg.util.SerializationUtil;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;

/// Looks keys up by one job of Spark, file by file.
///
/// The keys travel once to each executor, however many files may hold them; a file's share of them
/// is two numbers. Back comes a deletion vector for each file: what the scan needs in any case.
/// Both travel as bytes, so that it does not matter which serializer Spark is set to.
final class LookupJob {
  private static final int TASKS_A_CORE = 4;

  /// A file, and which of the keys it may hold.
  ///
  /// @param keys number of the key vector
  /// @param place where the answer belongs
  private record Lookup(int place, FileScanTask file, int keys, int from, int to)
      implements Serializable {
    long work() {
      return to - from;
    }
  }

  /// The answer on one file.
  private record Answer(int place, FileRows.Deleted deleted) implements Serializable {}

  /// The keys, decoded once in each process.
  private static final class Keys implements Serializable {
    private static final long serialVersionUID = 1L;

    private final List<byte[]> encoded;
    private transient KeyVector @Nullable [] decoded;

    Keys(List<byte[]> encoded) {
      this.encoded = new ArrayList<>(encoded);
    }

    synchronized KeyVector get(int number) {
      KeyVector @Nullable [] all = decoded;
      if (all == null) {
        all = new KeyVector[encoded.size()];
        decoded = all;
      }
      if (all[number] == null) {
        all[number] = KeySlice.fromBytes(encoded.get(number)).keys();
      }
      return all[number];
    }
  }

  /// Runs on executors.
  private record Work(Broadcast<Table> table, Broadcast<Keys> keys, WarehouseSettings settings)
      implements FlatMapFunction<Iterator<byte[]>, byte[]> {
    @Override
    public Iterator<byte[]> call(Iterator<byte[]> tasks) {
      FileRows files = new FileRows(table.value(), Warehouse.of(settings));
      List<byte[]> answers = new ArrayList<>();
      while (tasks.hasNext()) {
        List<Lookup> lookups = SerializationUtil.deserializeFromBytes(tasks.next());
        for (Lookup lookup : lookups) {
          KeySlice slice =
              new KeySlice(keys.value().get(lookup.keys()), lookup.from(), lookup.to());
          FileRows.Deleted deleted = files.hide(lookup.file(), slice);
          if (deleted != null) {
            answers.add(SerializationUtil.serializeToBytes(new Answer(lookup.place(), deleted)));
          }
        }
      }
      return answers.iterator();
    }
  }

  private final SparkContext context;
  private final Table table;
  private final WarehouseSettings settings;

  LookupJob(SparkSession spark, Table table, WarehouseSettings settings) {
    this.context = spark.sparkContext();
    this.table = table;
    this.settings = settings;
  }

  /// Deleted rows of each file; null where the file has none of its keys.
  List<FileRows.@Nullable Deleted> run(List<FileScanTask> files, List<KeySlice> slices) {
    Map<KeyVector, Integer> numbers = new IdentityHashMap<>();
    List<byte[]> encoded = new ArrayList<>();
    List<Lookup> lookups = new ArrayList<>();
    for (int i = 0; i < files.size(); i++) {
      KeySlice slice = slices.get(i);
      if (!slice.isEmpty()) {
        int number =
            numbers.computeIfAbsent(
                slice.keys(),
                keys -> {
                  encoded.add(new KeySlice(keys, 0, keys.size()).toBytes());
                  return encoded.size() - 1;
                });
        lookups.add(new Lookup(i, files.get(i), number, slice.from(), slice.to()));
      }
    }
    FileRows.@Nullable Deleted[] deleted = new FileRows.Deleted[files.size()];
    if (!lookups.isEmpty()) {
      answers(lookups, new Keys(encoded))
          .forEach(answer -> deleted[answer.place()] = answer.deleted());
    }
    return Arrays.asList(deleted);
  }

  private List<Answer> answers(List<Lookup> lookups, Keys keys) {
    JavaSparkContext spark = JavaSparkContext.fromSparkContext(context);
    Broadcast<Table> sentTable = spark.broadcast(SerializableTableWithSize.copyOf(table));
    Broadcast<Keys> sentKeys = spark.broadcast(keys);
    String before = context.getLocalProperty("callSite.short");
    context.setLocalProperty("callSite.short", "rows of " + table.name() + " that its log hides");
    try {
      List<byte[]> tasks =
          tasks(lookups).stream().map(SerializationUtil::serializeToBytes).toList();
      return spark
          .parallelize(tasks, tasks.size())
          .mapPartitions(new Work(sentTable, sentKeys, settings))
          .collect()
          .stream()
          .map(SerializationUtil::<Answer>deserializeFromBytes)
          .toList();
    } finally {
      context.setLocalProperty("callSite.short", before);
      sentKeys.destroy();
      sentTable.destroy();
    }
  }

  /// Tasks of about the same work.
  private List<ArrayList<Lookup>> tasks(List<Lookup> lookups) {
    int count = Math.min(lookups.size(), TASKS_A_CORE * Math.max(1, context.defaultParallelism()));
    List<ArrayList<Lookup>> tasks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      tasks.add(new ArrayList<>());
    }
    List<Lookup> largestFirst =
        lookups.stream().sorted(Comparator.comparingLong(Lookup::work).reversed()).toList();
    for (int i = 0; i < largestFirst.size(); i++) {
      int round = i / count;
      int place = i % count;
      tasks.get(round % 2 == 0 ? place : count - 1 - place).add(largestFirst.get(i));
    }
    return tasks;
  }
}
