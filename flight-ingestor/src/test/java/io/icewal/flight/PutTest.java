package io.icewal.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.client.PutStream;
import io.icewal.client.RowStream;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import io.icewal.model.Verdict;
import io.icewal.protocol.ColumnText;
import io.icewal.protocol.OutgoingFrame;
import io.icewal.protocol.PutAnswer;
import io.icewal.protocol.PutMode;
import io.icewal.protocol.PutOp;
import io.icewal.protocol.PutRequest;
import io.icewal.protocol.PutStatus;
import io.icewal.protocol.ReadRequest;
import io.icewal.protocol.TableDefinition;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Rows in through a put stream, and out through a fresh read.
class PutTest {
  @TempDir Path folder;
  private ServerFixture fixture;
  private TableIdentifier table;

  @BeforeEach
  void start() {
    fixture = ServerFixture.on(folder);
    table = fixture.table("t", Rows.COLUMNS, "id");
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  @Test
  void acknowledgedRowsAreInTheNextRead() {
    PutAnswer answer = put(PutRequest.of(table), 1, 3, "a");

    assertThat(answer.status()).isEqualTo(PutStatus.OK);
    assertThat(answer.rows()).isEqualTo(3);
    assertThat(read(ReadRequest.of(table))).containsExactly("1=a", "2=a", "3=a");
    assertThat(read(ReadRequest.of(table).withAtLeast(position(answer))))
        .containsExactly("1=a", "2=a", "3=a");
  }

  @Test
  void laterRowsWinAndDeletesDelete() {
    put(PutRequest.of(table), 1, 3, "a");
    put(PutRequest.of(table), 2, 1, "b");
    put(PutRequest.of(table).withOp(PutOp.DELETE), 3, 1, "ignored");

    assertThat(read(ReadRequest.of(table))).containsExactly("1=a", "2=b");
  }

  @Test
  void b142_oneBadRowRefusesItsWholeBatchAndIsNamed() {
    try (PutStream stream = fixture.client.put(PutRequest.of(table), Rows.SCHEMA)) {
      VectorSchemaRoot batch = Rows.range(fixture.clientMemory, 0, 10_000, "a");
      batch.getVector("id").setNull(7_777);
      PutAnswer rejected = stream.send(batch).join();
      PutAnswer next = stream.send(Rows.range(fixture.clientMemory, 1, 1, "b")).join();

      assertThat(rejected.status()).isEqualTo(PutStatus.REJECTED);
      assertThat(rejected.rows()).isZero();
      assertThat(rejected.position()).isNull();
      Verdict verdict = rejected.verdicts().get(0);
      assertThat(verdict.row()).isEqualTo(7_777);
      assertThat(verdict.column()).isEqualTo("id");
      assertThat(next.status()).isEqualTo(PutStatus.OK);
    }

    assertThat(read(ReadRequest.of(table))).containsExactly("1=b");
  }

  @Test
  void partialModeKeepsTheGoodRows() {
    VectorSchemaRoot batch = Rows.of(fixture.clientMemory, new Long[] {1L, null, 3L}, texts(3));
    try (PutStream stream =
        fixture.client.put(PutRequest.of(table).withMode(PutMode.PARTIAL), Rows.SCHEMA)) {
      PutAnswer answer = stream.send(batch).join();

      assertThat(answer.status()).isEqualTo(PutStatus.PARTIAL);
      assertThat(answer.rows()).isEqualTo(2);
      assertThat(answer.verdicts()).extracting(Verdict::row).containsExactly(1L);
    }

    assertThat(read(ReadRequest.of(table))).containsExactly("1=x", "3=x");
  }

  @Test
  void b122_emptyBatchesAndEmptyStreamsAreAcknowledged() {
    try (PutStream stream = fixture.client.put(PutRequest.of(table), Rows.SCHEMA)) {
      List<CompletableFuture<PutAnswer>> answers = new ArrayList<>();
      answers.add(stream.send(Rows.range(fixture.clientMemory, 0, 0, "")));
      answers.add(stream.send(Rows.range(fixture.clientMemory, 1, 1, "a")));
      answers.add(stream.send(Rows.range(fixture.clientMemory, 0, 0, "")));

      assertThat(answers).allSatisfy(a -> assertThat(a.join().status()).isEqualTo(PutStatus.OK));
      assertThat(answers.get(0).join().rows()).isZero();
    }
    fixture.client.put(PutRequest.of(table), Rows.SCHEMA).close();

    assertThat(read(ReadRequest.of(table))).containsExactly("1=a");
  }

  @Test
  void b017_repeatsAreAcknowledgedOnceAndTheStreamGoesOn() {
    TableIdentifier log = fixture.table("log", Rows.COLUMNS);
    PutRequest request = PutRequest.of(log).withProducer("p", 0);
    try (PutStream stream = fixture.client.put(request, Rows.SCHEMA)) {
      List<CompletableFuture<PutAnswer>> answers = new ArrayList<>();
      for (int i = 1; i <= 5; i++) {
        answers.add(stream.send(Rows.range(fixture.clientMemory, i, 1, "a"), i));
      }
      answers.add(stream.send(Rows.range(fixture.clientMemory, 1, 1, "a"), 1));
      answers.add(stream.send(Rows.range(fixture.clientMemory, 6, 1, "a"), 6));

      assertThat(answers).allSatisfy(a -> assertThat(a.join().status()).isEqualTo(PutStatus.OK));
    }

    assertThat(read(ReadRequest.of(log))).containsExactly("1=a", "2=a", "3=a", "4=a", "5=a", "6=a");
  }

  @Test
  void b014_oneKeyWrittenAgainAndAgainNeverStepsBack() {
    try (ServerFixture second = ServerFixture.on(folder)) {
      List<ServerFixture> servers = List.of(fixture, second);
      for (int i = 1; i <= 60; i++) {
        ServerFixture here = servers.get(i % 2);
        PutStream stream = here.client.put(PutRequest.of(table), Rows.SCHEMA);
        stream.send(Rows.range(here.clientMemory, 1, 1, "v" + i)).join();
        stream.close();
        if (i % 10 == 0) {
          assertThat(read(ReadRequest.of(table))).containsExactly("1=v" + i);
        }
      }
    }
  }

  @Test
  void aClosedStreamHasCompletedItsFutures() throws InterruptedException {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    PutStream stream = fixture.client.put(PutRequest.of(table), Rows.SCHEMA);
    CompletableFuture<PutAnswer> answer =
        stream
            .send(Rows.range(fixture.clientMemory, 1, 1, "a"))
            .whenComplete(
                (ok, error) -> {
                  entered.countDown();
                  awaitQuietly(release);
                });
    AtomicBoolean complete = new AtomicBoolean();
    Thread closer =
        new Thread(
            () -> {
              stream.close();
              complete.set(answer.isDone());
            });

    closer.start();
    entered.await();
    Await.until("the stream's own thread has ended", () -> !isRunning("icewal-put-" + table));
    release.countDown();
    closer.join();

    assertThat(complete).isTrue();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean isRunning(String name) {
    return Thread.getAllStackTraces().keySet().stream().anyMatch(t -> t.getName().equals(name));
  }

  @Test
  void noMessageIsLargerThanGrpcCounts() {
    try (ArrowBuf buffer = fixture.clientMemory.buffer(256 << 20)) {
      buffer.writerIndex(buffer.capacity());
      List<ArrowBuf> buffers = Collections.nCopies(9, buffer);
      List<ArrowFieldNode> columns = Collections.nCopies(3, new ArrowFieldNode(1, 0));
      try (ArrowRecordBatch batch = new ArrowRecordBatch(1, columns, buffers)) {
        assertThatThrownBy(() -> OutgoingFrame.batch(batch, new byte[0]))
            .isInstanceOf(IcewalException.class)
            .hasMessageContaining("batch has 2415919104 bytes")
            .hasMessageContaining("send smaller batches");
      }
    }
  }

  @Test
  void unknownTableEndsTheStream() {
    PutStream stream =
        fixture.client.put(PutRequest.of(TableIdentifier.of("db", "nothing")), Rows.SCHEMA);

    CompletableFuture<PutAnswer> answer = stream.send(Rows.range(fixture.clientMemory, 1, 1, "a"));

    assertThatThrownBy(answer::join)
        .cause()
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.INVALID))
        .hasMessageContaining("nothing");
    assertThatThrownBy(stream::close).isInstanceOf(IcewalException.class);
  }

  @Test
  void aSchemaThatDoesNotFitIsRefusedByColumn() {
    Schema misspelt = new Schema(List.of(Field.nullable("idd", new ArrowType.Int(64, true))));
    PutStream stream = fixture.client.put(PutRequest.of(table), misspelt);
    VectorSchemaRoot batch = VectorSchemaRoot.create(misspelt, fixture.clientMemory);
    batch.setRowCount(0);

    CompletableFuture<PutAnswer> answer = stream.send(batch);

    assertThatThrownBy(answer::join).hasMessageContaining("idd");
    assertThatThrownBy(stream::close).isInstanceOf(IcewalException.class);
  }

  @Test
  void columnsConditionAndLimitShapeARead() {
    put(PutRequest.of(table), 1, 10, "a");

    ReadRequest request =
        ReadRequest.of(table).withColumns(List.of("v", "id")).withWhere("id > 4").withLimit(3);
    try (RowStream rows = fixture.client.read(request)) {
      assertThat(rows.schema().getFields()).extracting(Field::getName).containsExactly("v", "id");
      assertThat(rows.end()).isNotNull();
      long count = 0;
      while (rows.hasNext()) {
        count += rows.next().getRowCount();
      }
      assertThat(count).isEqualTo(3);
    }
    assertThat(read(ReadRequest.of(table).withoutTail())).isEmpty();
  }

  @Test
  void b110_b112_b115_strangeNamesGoRoundOrAreRefused() {
    TableIdentifier strange = TableIdentifier.of(Namespace.of("a b"), "x y%2F.\u00e9");
    fixture.client.create(
        TableDefinition.of(
            strange,
            ColumnText.schema(
                ColumnText.columns(
                    "id bigint, v string, \"a.b\" int, \"$data\" int, \"sp ace\" int, 日本 int"),
                List.of("id"))));
    put(PutRequest.of(strange), 1, 1, "a");

    assertThat(fixture.client.tables()).contains(strange, table);
    assertThat(read(ReadRequest.of(strange))).containsExactly("1=a");
    assertThat(read(ReadRequest.of(table))).isEmpty();
    assertThatThrownBy(() -> fixture.table("reserved", "id bigint, _op int", "id"))
        .isInstanceOf(IcewalException.class)
        .hasMessageContaining("_op");
    TableIdentifier dotted = TableIdentifier.of(Namespace.of("a.b"), "t");
    assertThatThrownBy(() -> fixture.client.describe(dotted)).hasMessageContaining("a.b");
  }

  @Test
  void aTableCannotBeMadeAmongTheLogsFiles() {
    for (TableIdentifier climbing :
        List.of(
            TableIdentifier.of(Namespace.of("db"), "../../log/1/log-0/segments"),
            TableIdentifier.of(Namespace.of("a/b"), "log"))) {
      assertThatThrownBy(() -> create(climbing, Map.of())).hasMessageContaining("cannot be named");
    }
    assertThatThrownBy(
            () ->
                create(
                    TableIdentifier.of("db", "inside"),
                    Map.of("write.data.path", "file://" + folder + "/log/1/log-0/segments")))
        .hasMessageContaining("log root");
    assertThat(put(PutRequest.of(table), 1, 1, "a").status()).isEqualTo(PutStatus.OK);
  }

  private void create(TableIdentifier name, Map<String, String> properties) {
    fixture.client.create(
        new TableDefinition(
            name,
            ColumnText.schema(ColumnText.columns(Rows.COLUMNS), List.of("id")),
            PartitionSpec.unpartitioned(),
            properties));
  }

  private PutAnswer put(PutRequest request, long first, int count, String value) {
    try (PutStream stream = fixture.client.put(request, Rows.SCHEMA)) {
      return stream.send(Rows.range(fixture.clientMemory, first, count, value)).join();
    }
  }

  private List<String> read(ReadRequest request) {
    try (RowStream rows = fixture.client.read(request)) {
      return Rows.texts(() -> rows);
    }
  }

  private static Position position(PutAnswer answer) {
    Position position = answer.position();
    return Objects.requireNonNull(position, "position");
  }

  private static String[] texts(int count) {
    String[] texts = new String[count];
    Arrays.fill(texts, "x");
    return texts;
  }
}
