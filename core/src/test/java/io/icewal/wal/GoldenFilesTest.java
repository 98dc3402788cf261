package io.icewal.wal;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.model.BlockKind;
import io.icewal.model.LogName;
import io.icewal.model.RowBatch;
import io.icewal.storage.ByteRange;
import io.icewal.storage.MemoryObjectStore;
import io.icewal.storage.ObjectMeta;
import io.icewal.storage.ObjectStore;
import io.icewal.wal.SegmentBuilder.EncodedBlock;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/// A log root written by format v1, kept for ever: all later code must read it. `manifest.txt`
/// names its objects.
///
/// The files were written once, by [#write], and are never written again.
class GoldenFilesTest {
  private static final String FOLDER = "/format-v1/";
  private static final Path DOCS = Path.of("..", "docs", "format.md");

  @Test
  void theLogRootOfFormatV1IsReadable() {
    try (LogFixture f = new LogFixture()) {
      LogRoot root = LogRoot.open(golden()).orElseThrow();
      LogName log = root.log(1);
      LogReader reader = new LogReader(root, log, Runnable::run, ReaderLimits.DEFAULTS);

      Boundary boundary = reader.newestBoundary();
      Summary summary = reader.summary(boundary);
      SegmentRun run = reader.read(boundary.number());

      assertThat(root.logs()).isEqualTo(2);
      assertThat(boundary.k()).isEqualTo(1);
      assertThat(boundary.number()).isEqualTo(2);
      assertThat(summary.parked()).hasSize(1);
      assertThat(Rows.read(reader, summary.parked().get(0), f.allocator))
          .isEqualTo(Rows.expected(20, 3));
      assertThat(summary.producers().values())
          .extracting(seen -> seen.sequences().toString())
          .containsExactly("Sequences[highest=4, knownFrom=0, unseen=[0, 0, 3, 3]]");
      assertThat(run.end()).isEqualTo(3);
      List<String> rows = new ArrayList<>();
      for (BlockRef block : run.blocks(Rows.table(1))) {
        rows.addAll(Rows.read(reader, block, f.allocator));
      }
      List<String> expected = new ArrayList<>(Rows.expected(30, 4));
      expected.addAll(List.of("40=value of 40", "41=value of 41 deleted"));
      expected.addAll(List.of("1=-", "2=-"));
      expected.addAll(Rows.expected(50, 2));
      assertThat(rows).isEqualTo(expected);
      assertThat(run.segments().get(0).blocks())
          .extracting(block -> block.header().kind())
          .containsExactly(
              BlockKind.UPSERT,
              BlockKind.MIXED,
              BlockKind.DELETE,
              BlockKind.TRUNCATE,
              BlockKind.FLUSH,
              BlockKind.UPSERT);
    }
  }

  @Test
  void theWorkedExampleOfTheFormatDocumentIsTrue() {
    String hex = HexFormat.ofDelimiter(" ").formatHex(join(example().bytes()));
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < hex.length(); i += 48) {
      lines
          .append(String.format("    %04x  ", i / 3))
          .append(hex, i, Math.min(hex.length(), i + 47))
          .append('\n');
    }
    assertThat(read(DOCS)).contains(lines.toString());
  }

  /// One flush block of table 01...: no frames, so the bytes do not depend on a compressor.
  private static SegmentCodec.Built example() {
    UUID root = UUID.fromString("0b54c5ea-8d09-4b6e-b4ad-7d3f3b4f9d11");
    SegmentBuilder builder =
        new SegmentBuilder(
            new LogName(root, 1, 0),
            1,
            UUID.fromString("aaaaaaaa-aaaa-4aaa-aaaa-aaaaaaaaaaaa"),
            SegmentFooter.NONE,
            UUID.fromString("bbbbbbbb-bbbb-4bbb-bbbb-bbbbbbbbbbbb"),
            1,
            "",
            Instant.EPOCH);
    BlockHeader header =
        new BlockHeader(
            UUID.fromString("cccccccc-cccc-4ccc-cccc-cccccccccccc"),
            "a.t",
            0,
            2,
            Rows.KEYED,
            BlockKind.FLUSH);
    List<BatchEntry> batches = List.of(new BatchEntry(LogFixture.sequence("p", 5), 0));
    builder.add(new EncodedBlock(header, 0, batches, null, null, null));
    return builder.build();
  }

  private static byte[] join(List<byte[]> parts) {
    java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
    parts.forEach(out::writeBytes);
    return out.toByteArray();
  }

  private static ObjectStore golden() {
    ObjectStore store = new MemoryObjectStore(() -> Instant.EPOCH);
    for (String line : new String(resource("manifest.txt")).lines().toList()) {
      store.put(line, resource(line.replace('/', '+')));
    }
    return store;
  }

  private static byte[] resource(String name) {
    try (InputStream in =
        Objects.requireNonNull(GoldenFilesTest.class.getResourceAsStream(FOLDER + name), name)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// How the golden files were made: see the class. Writes all objects of a small log into a
  /// folder.
  static void write(Path folder) throws IOException {
    try (LogFixture f = new LogFixture()) {
      ObjectStore store = new MemoryObjectStore(() -> f.now);
      LogRoot root = LogRoot.openOrCreate(store, 2, f.random);
      LogName log = root.log(1);
      WalWriter writer =
          new WalWriter(root, log, f.random, () -> f.now, "grpc://host:8815", LogFixture.LIMITS);
      append(writer, Rows.upsert(f.allocator, 1, LogFixture.sequence("p", 1), 10, 3));
      append(
          writer,
          Rows.upsert(f.allocator, 1, LogFixture.sequence("p", 2), 11, 3),
          Rows.upsert(f.allocator, 1, LogFixture.sequence("p", 4), 12, 3),
          Rows.upsert(f.allocator, 2, null, 20, 3));
      RowBatch staged = Rows.rows(f.allocator, Rows.KEYED, 50, 2);
      StagedBlock block =
          new Staging(root, log, f.random, Runnable::run)
              .stage(Rows.header(1, BlockKind.UPSERT), List.of(staged));
      staged.close();
      append(
          writer,
          Rows.upsert(f.allocator, 1, LogFixture.sequence("p", 5), 30, 4),
          AppendBatch.ofRows(Rows.header(1, BlockKind.MIXED), null, Rows.mixed(f.allocator, 40, 2)),
          AppendBatch.ofRows(
              Rows.header(1, BlockKind.DELETE), null, Rows.deletes(f.allocator, 1, 2)),
          AppendBatch.ofNoRows(Rows.header(1, BlockKind.TRUNCATE), null),
          AppendBatch.ofNoRows(Rows.header(1, BlockKind.FLUSH), null),
          AppendBatch.ofStaged(null, block));
      new WalTrimmer(root, log, f.random, TrimLimits.DEFAULTS, Runnable::run)
          .trim(
              blocks ->
                  blocks.tableId().equals(Rows.table(1)) ? TableState.at(2) : TableState.park(0));
      StringBuilder manifest = new StringBuilder();
      Files.createDirectories(folder);
      for (ObjectMeta meta : store.list("", "", 1000)) {
        if (!meta.key().endsWith("/clock")) {
          manifest.append(meta.key()).append('\n');
          Files.write(
              folder.resolve(meta.key().replace('/', '+')),
              store.get(meta.key(), ByteRange.ALL).orElseThrow().bytes());
        }
      }
      Files.writeString(folder.resolve("manifest.txt"), manifest);
    }
  }

  private static void append(WalWriter writer, AppendBatch... batches) {
    writer.append(List.of(batches));
    Rows.close(List.of(batches));
  }
}
