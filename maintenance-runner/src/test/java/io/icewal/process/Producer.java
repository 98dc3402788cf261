package io.icewal.process;

import io.icewal.client.IcewalClient;
import io.icewal.client.PutLimits;
import io.icewal.client.PutStream;
import io.icewal.model.IcewalException;
import io.icewal.model.RowOp;
import io.icewal.protocol.PutAnswer;
import io.icewal.protocol.PutRequest;
import io.icewal.protocol.PutStatus;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;

/// One producer of one table: a fixed list of numbered batches, each made from its number, so that
/// what the table must hold in the end does not depend on what happened on the way. Keys are the
/// producer's own: in a keyed table they are upserted and deleted over and over.
final class Producer implements Runnable {
  private static final Field ID = Field.notNullable("id", new ArrowType.Int(64, true));
  private static final Field V = Field.nullable("v", ArrowType.Utf8.INSTANCE);
  private static final Field OP = Field.notNullable(RowOp.COLUMN, new ArrowType.Int(8, true));
  private static final long IDS_OF_PRODUCER = 1_000_000;
  private static final int KEYS = 400;
  private static final int ROWS_MAX = 60;

  private record Row(long id, String v, boolean delete) {}

  private final IcewalClient client;
  private final BufferAllocator allocator;
  private final TableIdentifier table;
  private final boolean keyed;
  private final int number;
  private final int batches;
  private final PutLimits limits;
  private final Runnable onAnswer;
  private volatile int acknowledged;
  private volatile @Nullable Throwable failure;

  /// @param onAnswer told of every batch that is acknowledged
  Producer(
      IcewalClient client,
      BufferAllocator allocator,
      TableIdentifier table,
      boolean keyed,
      int number,
      int batches,
      PutLimits limits,
      Runnable onAnswer) {
    this.client = client;
    this.allocator = allocator;
    this.table = table;
    this.keyed = keyed;
    this.number = number;
    this.batches = batches;
    this.limits = limits;
    this.onAnswer = onAnswer;
  }

  /// Sends all batches from the first that is not acknowledged; ends with the last answer, or with
  /// the first failure.
  @Override
  public void run() {
    failure = null;
    PutRequest request = PutRequest.of(table).withProducer(table + "-" + number, acknowledged);
    Schema schema = new Schema(keyed ? List.of(ID, V, OP) : List.of(ID, V));
    try (PutStream stream = client.put(request, schema, limits);
        VectorSchemaRoot batch = VectorSchemaRoot.create(schema, allocator)) {
      for (int sequence = acknowledged; sequence < batches && failure == null; sequence++) {
        fill(batch, rows(sequence));
        int own = sequence;
        stream.send(batch).whenComplete((answer, error) -> answered(own, answer, error));
      }
    } catch (IcewalException e) {
      failure = e;
    }
  }

  private void answered(int sequence, @Nullable PutAnswer answer, @Nullable Throwable error) {
    if (answer != null && answer.status() == PutStatus.OK && sequence == acknowledged) {
      acknowledged = sequence + 1;
      onAnswer.run();
    } else if (failure == null) {
      failure = error != null ? error : new AssertionError("batch " + sequence + " got " + answer);
    }
  }

  int acknowledged() {
    return acknowledged;
  }

  boolean isDone() {
    return acknowledged == batches;
  }

  /// Why the last run ended early; null if it did not.
  @Nullable Throwable failure() {
    return failure;
  }

  private List<Row> rows(int sequence) {
    SplittableRandom random = new SplittableRandom(1_000L * number + sequence);
    List<Row> rows = new ArrayList<>();
    int count = 1 + random.nextInt(ROWS_MAX);
    for (int i = 0; i < count; i++) {
      long key = keyed ? random.nextInt(KEYS) : (long) sequence * ROWS_MAX + i;
      boolean delete = keyed && random.nextInt(4) == 0;
      rows.add(new Row(number * IDS_OF_PRODUCER + key, number + "-" + sequence + "-" + i, delete));
    }
    return rows;
  }

  private void fill(VectorSchemaRoot batch, List<Row> rows) {
    BigIntVector id = (BigIntVector) batch.getVector(0);
    VarCharVector v = (VarCharVector) batch.getVector(1);
    batch.allocateNew();
    for (int i = 0; i < rows.size(); i++) {
      id.setSafe(i, rows.get(i).id());
      v.setSafe(i, rows.get(i).v().getBytes(StandardCharsets.UTF_8));
      if (keyed) {
        byte op = rows.get(i).delete() ? RowOp.DELETE : RowOp.UPSERT;
        ((TinyIntVector) batch.getVector(2)).setSafe(i, op);
      }
    }
    batch.setRowCount(rows.size());
  }

  /// Puts the rows that the table must hold of this producer: `id` → `id,v`.
  void expected(Map<Long, String> into) {
    for (int sequence = 0; sequence < batches; sequence++) {
      for (Row row : rows(sequence)) {
        if (row.delete()) {
          into.remove(row.id());
        } else {
          into.put(row.id(), row.id() + "," + row.v());
        }
      }
    }
  }
}
