package io.icewal.storage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LocalObjectStoreTest extends ObjectStoreContract {
  @TempDir Path folder;

  @Override
  protected ObjectStore openEmpty() {
    return LocalObjectStore.open(root());
  }

  private Path root() {
    return folder.resolve("deep/in a folder");
  }

  @Test
  void anObjectIsAPlainFileAndNothingElseIsLeft() throws IOException {
    store().putIfAbsent("a/b/1", List.of("x".getBytes(UTF_8)));
    store().putIfAbsent("a/b/1", List.of("y".getBytes(UTF_8)));
    store().put("a/b/2", "z".getBytes(UTF_8));

    try (var files = Files.walk(root())) {
      assertThat(files.filter(Files::isRegularFile).map(root()::relativize).map(Path::toString))
          .containsExactlyInAnyOrder("a/b/1", "a/b/2");
    }
    assertThat(Files.readString(root().resolve("a/b/1"))).isEqualTo("x");
  }

  @Test
  void leftoversOfCrashesAreInvisibleAndOldOnesAreRemovedWhenOpened() throws IOException {
    Path temporaries = root().resolve(LocalObjectStore.TEMPORARY_FOLDER);
    Path old = Files.writeString(temporaries.resolve("1-1.tmp"), "torn");
    Path young = Files.writeString(temporaries.resolve("1-2.tmp"), "torn");
    setAge(old, Duration.ofHours(2));
    store().putIfAbsent("a", List.of(new byte[1]));

    assertThat(store().list("", "", 10)).extracting(ObjectMeta::key).containsExactly("a");
    openEmpty().close();

    assertThat(old).doesNotExist();
    assertThat(young).exists();
  }

  /// A crash after the link and before the unlink leaves two names for the same bytes.
  @Test
  void temporaryNameOfACrashedProcessIsNeverWrittenAgain() throws IOException {
    long process = ProcessHandle.current().pid();
    store().putIfAbsent("a", List.of("kept".getBytes(UTF_8)));
    for (int i = 0; i < 20; i++) {
      Files.createLink(root().resolve("~tmp/" + process + "-" + i + ".tmp"), root().resolve("a"));
    }

    try (ObjectStore reopened = openEmpty()) {
      reopened.putIfAbsent("b", List.of("other".getBytes(UTF_8)));
    }

    assertThat(Files.readString(root().resolve("a"))).isEqualTo("kept");
  }

  @Test
  void foldersRemovedByOthersAreMadeAgain() throws IOException {
    store().putIfAbsent("a/b/1", List.of(new byte[1]));
    store().delete(List.of("a/b/1"));
    Files.delete(root().resolve("a/b"));
    Files.delete(root().resolve("a"));

    PutOutcome first = store().putIfAbsent("a/b/2", List.of(new byte[1]));
    PutOutcome second = store().putIfAbsent("a/b/2", List.of(new byte[1]));

    assertThat(first).isInstanceOf(PutOutcome.Unknown.class);
    assertThat(second).isEqualTo(PutOutcome.CREATED);
  }

  @Test
  void anObjectUnderAnObjectIsNeverTakenForAPut() {
    store().putIfAbsent("a", List.of(new byte[1]));
    store().putIfAbsent("b/c", List.of(new byte[1]));

    assertThat(store().putIfAbsent("a/b", List.of(new byte[1])))
        .isInstanceOf(PutOutcome.Unknown.class);
    assertThat(store().putIfAbsent("b", List.of(new byte[1])))
        .isInstanceOf(PutOutcome.Unknown.class);
  }

  @Test
  void refusesAFolderThatIsAFile() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "x");

    assertThatThrownBy(() -> LocalObjectStore.open(file))
        .isInstanceOf(IcewalException.class)
        .hasMessageStartingWith(
            "cannot use the folder " + file + ", it must be one that can be made")
        .extracting(e -> ((IcewalException) e).kind())
        .isEqualTo(ErrorKind.UNAVAILABLE);
  }

  @Test
  void manyCreatorsOfNewFoldersAllSucceed() throws Exception {
    ExecutorService creators = Executors.newFixedThreadPool(4);
    try {
      List<Future<PutOutcome>> outcomes = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        String key = "new/%d/%d/%d".formatted(i / 8, i / 2, i);
        outcomes.add(creators.submit(() -> store().putIfAbsent(key, List.of(new byte[10]))));
      }
      for (Future<PutOutcome> outcome : outcomes) {
        assertThat(outcome.get()).isEqualTo(PutOutcome.CREATED);
      }
    } finally {
      creators.shutdownNow();
    }
    assertThat(store().list("new/", "", 1_000)).hasSize(200);
  }

  @Test
  void twoStoresOnOneFolderSeeEachOther() {
    try (ObjectStore other = openEmpty()) {
      store().putIfAbsent("a/1", List.of("x".getBytes(UTF_8)));

      assertThat(other.putIfAbsent("a/1", List.of(new byte[1]))).isEqualTo(PutOutcome.EXISTS);
      assertThat(other.get("a/1", ByteRange.ALL).orElseThrow().bytes()).hasSize(1);
    }
  }

  @Test
  void largeObjectsOfAnyLengthAreStoredAsTheyAre() {
    int block = 16 << 10;
    int mib = 1 << 20;
    int[] lengths = {
      mib - 1, mib, mib + 1, mib + block, 2 * mib - 1, 2 * mib, 3 * mib + block + 77
    };
    for (int length : lengths) {
      byte[] bytes = new byte[length];
      new SplittableRandom(length).nextBytes(bytes);
      List<byte[]> parts = new ArrayList<>();
      int partBytes = 100_003;
      for (int at = 0; at < length; at += partBytes) {
        parts.add(Arrays.copyOfRange(bytes, at, Math.min(length, at + partBytes)));
      }

      assertThat(store().putIfAbsent("large/" + length, parts)).isEqualTo(PutOutcome.CREATED);

      StoredBytes stored = store().get("large/" + length, ByteRange.ALL).orElseThrow();
      assertThat(stored.bytes()).as("object of %d bytes", length).isEqualTo(bytes);
    }
  }

  @Test
  void directWritesOfManyThreadsDoNotMix() throws Exception {
    DirectWriter writer = new DirectWriter();
    ExecutorService writers = Executors.newFixedThreadPool(4);
    try {
      List<Future<Boolean>> results = new ArrayList<>();
      for (int i = 0; i < 12; i++) {
        Path file = Files.createFile(folder.resolve("file" + i));
        byte[] bytes = new byte[1_500_000];
        Arrays.fill(bytes, (byte) i);
        results.add(
            writers.submit(
                () -> {
                  try {
                    writer.write(file, List.of(bytes));
                  } catch (UnsupportedOperationException e) {
                    return true;
                  }
                  return Arrays.equals(Files.readAllBytes(file), bytes);
                }));
      }
      for (Future<Boolean> result : results) {
        assertThat(result.get()).isTrue();
      }
    } finally {
      writers.shutdownNow();
    }
  }

  @Test
  void aFileSystemWithoutDirectWritesIsWrittenThroughTheCache() throws IOException {
    DirectWriter direct = new DirectWriter(StandardOpenOption.CREATE_NEW);
    Path file = Files.createFile(folder.resolve("file"));
    byte[] bytes = new byte[3_000_000];
    Arrays.fill(bytes, (byte) 7);

    new DurableFiles(direct).write(file, List.of(bytes));

    assertThat(Files.readAllBytes(file)).isEqualTo(bytes);
    assertThat(direct.isUsable()).isFalse();
  }

  @Test
  void aFaultThatIsNotOfDirectWritesDoesNotEndThem() {
    DirectWriter direct = new DirectWriter();
    Path nowhere = folder.resolve("no such folder").resolve("file");

    assertThatThrownBy(() -> new DurableFiles(direct).write(nowhere, List.of(new byte[3_000_000])))
        .isInstanceOf(IOException.class);

    assertThat(direct.isUsable()).isTrue();
  }

  @Test
  void readersOfLargeObjectsKeepLittleDirectMemory() throws Exception {
    int length = 32 << 20;
    store().putIfAbsent("large", List.of(new byte[length]));
    ExecutorService readers = Executors.newFixedThreadPool(4);
    CountDownLatch reading = new CountDownLatch(4);
    long before = directBytes();
    try {
      List<Future<Integer>> results = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        results.add(
            readers.submit(
                () -> {
                  reading.countDown();
                  reading.await();
                  return store().get("large", ByteRange.ALL).orElseThrow().bytes().length;
                }));
      }
      for (Future<Integer> result : results) {
        assertThat(result.get()).isEqualTo(length);
      }

      assertThat(directBytes() - before).isLessThan(8 << 20);
    } finally {
      readers.shutdownNow();
    }
  }

  private static long directBytes() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }

  private static void setAge(Path file, Duration age) throws IOException {
    FileTime now = Files.getLastModifiedTime(file);
    Files.setLastModifiedTime(file, FileTime.from(now.toInstant().minus(age)));
  }
}
