package io.icewal.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.JavaProcess;
import io.icewal.client.IcewalClient;
import io.icewal.client.PutLimits;
import io.icewal.client.PutStream;
import io.icewal.client.RowStream;
import io.icewal.protocol.PutAnswer;
import io.icewal.protocol.PutRequest;
import io.icewal.protocol.PutStatus;
import io.icewal.protocol.ReadRequest;
import io.icewal.protocol.TableDefinition;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.iceberg.Schema;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Huge rows and very many columns go through a server of 1 GiB: into the log, fresh out of it,
/// into the table, and out of that.
class HugeRowsTest {
  private static final int MEBIBYTE = 1 << 20;
  private static final Duration FLUSH_MAX = Duration.ofMinutes(10);
  private static final PutLimits LIMITS = new PutLimits(8, 64L << 20, Duration.ofMinutes(4));
  private static final TableIdentifier TABLE = TableIdentifier.of("huge", "t");

  @TempDir private Path folder;
  private final BufferAllocator memory = new RootAllocator();

  @Test
  void b217_aHundredRowsOfTwoMegabytes() throws Exception {
    huge(100, 2 * MEBIBYTE, 10, 384);
  }

  @Test
  @Tag("long")
  void b217_elevenHundredRowsOfTwoMegabytes() throws Exception {
    huge(1_100, 2 * MEBIBYTE, 25, 1_024);
  }

  @Test
  @Tag("long")
  void b217_threeHundredRowsOfTenMegabytes() throws Exception {
    huge(300, 10 * MEBIBYTE, 5, 1_024);
  }

  private void huge(int rows, int bytes, int batchRows, int heapMebibytes) throws Exception {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.LongType.get()),
                NestedField.optional(2, "v", Types.BinaryType.get())),
            Set.of(1));
    try (Deployment deployment = new Deployment(folder, heapMebibytes)) {
      JavaProcess server = deployment.server();
      try (IcewalClient client = IcewalClient.connect(deployment.uri(), memory)) {
        client.create(TableDefinition.of(TABLE, schema));
        put(client, rows, bytes, batchRows);
        assertThat(hashes(client, ReadRequest.of(TABLE))).isEqualTo(hashes(rows, bytes));

        client.flush(TABLE, FLUSH_MAX);
        assertThat(hashes(client, ReadRequest.of(TABLE).withoutTail()))
            .isEqualTo(hashes(rows, bytes));
      }
      assertThat(server.isAlive()).isTrue();
      assertThat(server.lines()).noneMatch(line -> line.contains("OutOfMemory"));
    }
    memory.close();
  }

  private void put(IcewalClient client, int rows, int bytes, int batchRows) {
    org.apache.arrow.vector.types.pojo.Schema schema =
        new org.apache.arrow.vector.types.pojo.Schema(
            List.of(
                Field.notNullable("id", new ArrowType.Int(64, true)),
                Field.nullable("v", ArrowType.Binary.INSTANCE)));
    List<CompletableFuture<PutAnswer>> answers = new ArrayList<>();
    try (PutStream stream = client.put(PutRequest.of(TABLE), schema, LIMITS);
        VectorSchemaRoot batch = VectorSchemaRoot.create(schema, memory)) {
      for (int first = 0; first < rows; first += batchRows) {
        int count = Math.min(batchRows, rows - first);
        BigIntVector id = (BigIntVector) batch.getVector("id");
        VarBinaryVector v = (VarBinaryVector) batch.getVector("v");
        id.allocateNew(count);
        v.allocateNew((long) count * bytes, count);
        for (int i = 0; i < count; i++) {
          id.set(i, first + i);
          v.set(i, value(first + i, bytes));
        }
        batch.setRowCount(count);
        answers.add(stream.send(batch));
      }
    }
    assertThat(answers).allSatisfy(a -> assertThat(a.join().status()).isEqualTo(PutStatus.OK));
  }

  private static byte[] value(long id, int bytes) {
    byte[] value = new byte[bytes];
    new SplittableRandom(id).nextBytes(value);
    return value;
  }

  private static Map<Long, Integer> hashes(int rows, int bytes) {
    Map<Long, Integer> hashes = new HashMap<>();
    for (long id = 0; id < rows; id++) {
      hashes.put(id, Arrays.hashCode(value(id, bytes)));
    }
    return hashes;
  }

  private static Map<Long, Integer> hashes(IcewalClient client, ReadRequest request) {
    Map<Long, Integer> hashes = new HashMap<>();
    try (RowStream rows = client.read(request)) {
      while (rows.hasNext()) {
        VectorSchemaRoot batch = rows.next();
        BigIntVector id = (BigIntVector) batch.getVector("id");
        VarBinaryVector v = (VarBinaryVector) batch.getVector("v");
        for (int i = 0; i < batch.getRowCount(); i++) {
          assertThat(hashes.put(id.get(i), Arrays.hashCode(v.get(i)))).isNull();
        }
      }
    }
    return hashes;
  }

  @Test
  @Tag("long")
  void b217_threeThousandColumns() throws Exception {
    int columns = 3_000;
    int rows = 2_000;
    List<NestedField> fields = new ArrayList<>();
    List<Field> sent = new ArrayList<>();
    fields.add(NestedField.required(1, "id", Types.LongType.get()));
    sent.add(Field.notNullable("id", new ArrowType.Int(64, true)));
    for (int c = 1; c < columns; c++) {
      fields.add(NestedField.optional(c + 1, "c" + c, Types.StringType.get()));
      sent.add(Field.nullable("c" + c, ArrowType.Utf8.INSTANCE));
    }
    try (Deployment deployment = new Deployment(folder, 1_024)) {
      JavaProcess server = deployment.server();
      try (IcewalClient client = IcewalClient.connect(deployment.uri(), memory)) {
        client.create(TableDefinition.of(TABLE, new Schema(fields, Set.of(1))));
        putWide(client, new org.apache.arrow.vector.types.pojo.Schema(sent), rows);
        assertThat(wideRows(client, ReadRequest.of(TABLE))).isEqualTo(rows);

        client.flush(TABLE, FLUSH_MAX);
        assertThat(wideRows(client, ReadRequest.of(TABLE).withoutTail())).isEqualTo(rows);
      }
      assertThat(server.lines()).noneMatch(line -> line.contains("OutOfMemory"));
    }
    memory.close();
  }

  private void putWide(
      IcewalClient client, org.apache.arrow.vector.types.pojo.Schema schema, int rows) {
    int batchRows = 200;
    try (PutStream stream = client.put(PutRequest.of(TABLE), schema, LIMITS);
        VectorSchemaRoot batch = VectorSchemaRoot.create(schema, memory)) {
      for (int first = 0; first < rows; first += batchRows) {
        for (int i = 0; i < batchRows; i++) {
          ((BigIntVector) batch.getVector(0)).setSafe(i, first + i);
          byte[] text = ("v" + (first + i)).getBytes(StandardCharsets.UTF_8);
          for (int c = 1; c < schema.getFields().size(); c++) {
            ((VarCharVector) batch.getVector(c)).setSafe(i, text);
          }
        }
        batch.setRowCount(batchRows);
        stream.send(batch);
      }
      stream.awaitAnswers();
    }
  }

  /// Counts rows whose columns all have the value of their key.
  private static int wideRows(IcewalClient client, ReadRequest request) {
    int right = 0;
    try (RowStream rows = client.read(request)) {
      while (rows.hasNext()) {
        VectorSchemaRoot batch = rows.next();
        for (int i = 0; i < batch.getRowCount(); i++) {
          String expected = "v" + ((BigIntVector) batch.getVector("id")).get(i);
          int row = i;
          boolean same =
              batch.getFieldVectors().stream()
                  .skip(1)
                  .allMatch(v -> expected.equals(String.valueOf(v.getObject(row))));
          right += same ? 1 : 0;
        }
      }
    }
    return right;
  }
}
