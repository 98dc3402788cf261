package io.icewal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.client.IcewalClient;
import io.icewal.client.PutStream;
import io.icewal.client.RowStream;
import io.icewal.protocol.ColumnText;
import io.icewal.protocol.PutAnswer;
import io.icewal.protocol.PutRequest;
import io.icewal.protocol.PutStatus;
import io.icewal.protocol.ReadRequest;
import io.icewal.protocol.TableDefinition;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.iceberg.catalog.TableIdentifier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Case b125: what is accepted is readable, in the log, after a restart, and materialized.
@Tag("slow")
class LargestBatchTest {
  private static final TableIdentifier TABLE = TableIdentifier.of("db", "t");
  private static final int BATCH_BYTES_MAX = 128 << 20;
  private static final int ROWS_MAX = 1 << 23;

  @TempDir Path folder;
  private final BufferAllocator memory = new RootAllocator();

  @AfterEach
  void close() {
    memory.close();
  }

  @Test
  void b125_aValueThatFillsTheLargestBatchIsReadInEveryState() {
    Field id = Field.notNullable("id", new ArrowType.Int(64, true));
    Field bytes = Field.nullable("b", ArrowType.Binary.INSTANCE);
    int length = BATCH_BYTES_MAX - 1024;
    byte[] value = new byte[length];
    new SplittableRandom(1).nextBytes(value);
    try (TestServer server = TestServer.withoutMaintenance(folder);
        IcewalClient client = client(server)) {
      create(client, "id bigint not null, b binary", "id");
      VectorSchemaRoot batch = VectorSchemaRoot.create(new Schema(List.of(id, bytes)), memory);
      ((BigIntVector) batch.getVector("id")).setSafe(0, 1);
      VarBinaryVector vector = (VarBinaryVector) batch.getVector("b");
      vector.allocateNew(length, 1);
      vector.set(0, value);
      batch.setRowCount(1);

      assertThat(put(client, batch).status()).isEqualTo(PutStatus.OK);
      assertThat(lengths(client)).isEqualTo(length);
    }
    inLaterStates(client -> assertThat(lengths(client)).isEqualTo(length));
  }

  @Test
  void b125_theMostRowsOfABatchAreReadInEveryState() {
    Field field = Field.nullable("n", new ArrowType.Int(8, true));
    try (TestServer server = TestServer.withoutMaintenance(folder);
        IcewalClient client = client(server)) {
      create(client, "n int");
      VectorSchemaRoot batch = VectorSchemaRoot.create(new Schema(List.of(field)), memory);
      TinyIntVector vector = (TinyIntVector) batch.getVector("n");
      vector.allocateNew(ROWS_MAX);
      for (int row = 0; row < ROWS_MAX; row++) {
        vector.set(row, row % 100);
      }
      batch.setRowCount(ROWS_MAX);

      assertThat(put(client, batch).status()).isEqualTo(PutStatus.OK);
      assertThat(rows(client)).isEqualTo(ROWS_MAX);
    }
    inLaterStates(client -> assertThat(rows(client)).isEqualTo(ROWS_MAX));
  }

  private interface Check {
    void run(IcewalClient client);
  }

  /// After a restart; materialized; after one more.
  private void inLaterStates(Check check) {
    try (TestServer server = TestServer.withMaintenance(folder);
        IcewalClient client = client(server)) {
      check.run(client);
      TestServer.Result flushed = server.run("flush", "db.t");
      assertThat(flushed.code()).as(flushed.err()).isZero();
      check.run(client);
    }
    try (TestServer server = TestServer.withoutMaintenance(folder);
        IcewalClient client = client(server)) {
      try (RowStream rows = client.read(ReadRequest.of(TABLE).withoutTail())) {
        assertThat(rows.hasNext()).isTrue();
      }
      check.run(client);
    }
  }

  private IcewalClient client(TestServer server) {
    return IcewalClient.connect(URI.create(server.uri()), memory);
  }

  private static void create(IcewalClient client, String columns, String... key) {
    client.create(
        TableDefinition.of(TABLE, ColumnText.schema(ColumnText.columns(columns), List.of(key))));
  }

  private static PutAnswer put(IcewalClient client, VectorSchemaRoot batch) {
    try (PutStream stream = client.put(PutRequest.of(TABLE), batch.getSchema())) {
      return stream.send(batch).join();
    }
  }

  private static long rows(IcewalClient client) {
    long count = 0;
    try (RowStream rows = client.read(ReadRequest.of(TABLE))) {
      while (rows.hasNext()) {
        count += rows.next().getRowCount();
      }
    }
    return count;
  }

  /// The bytes of all values.
  private static long lengths(IcewalClient client) {
    long sum = 0;
    try (RowStream rows = client.read(ReadRequest.of(TABLE))) {
      while (rows.hasNext()) {
        FieldVector vector = rows.next().getVector("b");
        for (int row = 0; row < vector.getValueCount(); row++) {
          sum += ((VarBinaryVector) vector).getValueLength(row);
        }
      }
    }
    return sum;
  }
}
