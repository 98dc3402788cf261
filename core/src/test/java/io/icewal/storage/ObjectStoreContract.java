package io.icewal.storage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What every [ObjectStore] promises. Each implementation runs all of it.
public abstract class ObjectStoreContract {
  private static final int RACES = 200;
  private static final int RACERS = 4;

  private ObjectStore store;

  /// A store without objects.
  protected abstract ObjectStore openEmpty() throws Exception;

  /// The store under test.
  protected ObjectStore store() {
    return store;
  }

  @BeforeEach
  void openStore() throws Exception {
    store = openEmpty();
  }

  @AfterEach
  void closeStore() {
    store.close();
  }

  @Test
  void firstPutIfAbsentCreatesAndLaterOnesLeaveTheObjectAlone() {
    assertThat(store.putIfAbsent("a/1", parts("first"))).isEqualTo(PutOutcome.CREATED);
    assertThat(store.putIfAbsent("a/1", parts("second"))).isEqualTo(PutOutcome.EXISTS);
    assertThat(store.putIfAbsent("a/1", parts("first"))).isEqualTo(PutOutcome.EXISTS);

    assertThat(text("a/1")).isEqualTo("first");
  }

  @Test
  void partsAreJoinedInOrder() {
    store.putIfAbsent("a/1", List.of(bytes("one,"), new byte[0], bytes("two,"), bytes("three")));

    assertThat(text("a/1")).isEqualTo("one,two,three");
  }

  @Test
  void putReplaces() {
    store.put("a", bytes("first"));
    store.put("a", bytes("second"));

    assertThat(text("a")).isEqualTo("second");
    assertThat(store.putIfAbsent("a", parts("third"))).isEqualTo(PutOutcome.EXISTS);
  }

  @Test
  void deletedKeyCanBeCreatedAgain() {
    store.putIfAbsent("a/1", parts("first"));
    store.delete(List.of("a/1"));

    assertThat(store.get("a/1", ByteRange.ALL)).isEmpty();
    assertThat(store.putIfAbsent("a/1", parts("second"))).isEqualTo(PutOutcome.CREATED);
    assertThat(text("a/1")).isEqualTo("second");
  }

  @Test
  void absentObjectsAreEmptyAnswersAndNotErrors() {
    store.putIfAbsent("a/1", parts("x"));

    assertThat(store.get("a/2", ByteRange.ALL)).isEmpty();
    assertThat(store.get("b/1", new ByteRange.Suffix(5))).isEmpty();
    assertThat(store.get("b/1", new ByteRange.Slice(2, 5))).isEmpty();
    assertThat(store.get("a", ByteRange.ALL)).isEmpty();
    assertThat(store.head("a/2")).isEmpty();
    assertThat(store.head("a")).isEmpty();
    assertThat(store.list("b/", "", 10)).isEmpty();
    store.delete(List.of("a/2", "b/1", "b/2"));
    store.delete(List.of());
    assertThat(text("a/1")).isEqualTo("x");
  }

  @Test
  void rangesReturnWhatTheObjectHas() {
    store.putIfAbsent("a", parts("0123456789"));

    assertRange(ByteRange.ALL, 0, "0123456789");
    assertRange(new ByteRange.Slice(0, 3), 0, "012");
    assertRange(new ByteRange.Slice(4, 3), 4, "456");
    assertRange(new ByteRange.Slice(8, 100), 8, "89");
    assertRange(new ByteRange.Slice(10, 5), 10, "");
    assertRange(new ByteRange.Slice(11, 5), 10, "");
    assertRange(new ByteRange.Suffix(1), 9, "9");
    assertRange(new ByteRange.Suffix(10), 0, "0123456789");
    assertRange(new ByteRange.Suffix(11), 0, "0123456789");
  }

  @Test
  void emptyObjectIsAnObject() {
    store.putIfAbsent("a", List.of());

    for (ByteRange range :
        List.of(ByteRange.ALL, new ByteRange.Suffix(4), new ByteRange.Slice(0, 4))) {
      StoredBytes found = store.get("a", range).orElseThrow();
      assertThat(found.bytes()).isEmpty();
      assertThat(found.meta().size()).isZero();
    }
    assertThat(store.head("a").orElseThrow().size()).isZero();
    assertThat(store.putIfAbsent("a", parts("x"))).isEqualTo(PutOutcome.EXISTS);
  }

  @Test
  void largeObjectComesBackByteForByte() {
    byte[] large = new byte[9 * 1024 * 1024 + 17];
    new Random(7).nextBytes(large);

    store.putIfAbsent("a", List.of(large));

    assertThat(store.get("a", ByteRange.ALL).orElseThrow().bytes()).isEqualTo(large);
    assertThat(store.get("a", new ByteRange.Slice(5_000_001, 1_000)).orElseThrow().bytes())
        .isEqualTo(Arrays.copyOfRange(large, 5_000_001, 5_001_001));
  }

  @Test
  void agesComeFromOneClockAndDoNotFall() {
    store.putIfAbsent("a", parts("x"));
    store.putIfAbsent("b", parts("yy"));

    ObjectMeta a = store.head("a").orElseThrow();
    ObjectMeta b = store.head("b").orElseThrow();

    assertThat(b.size()).isEqualTo(2);
    assertThat(a.key()).isEqualTo("a");
    assertThat(b.lastModified()).isBetween(a.lastModified(), a.lastModified().plusSeconds(60));
    assertThat(Duration.between(a.lastModified(), listed("", "", 10).get(0).lastModified()).abs())
        .isLessThan(Duration.ofSeconds(1));
    assertThat(listed("", "", 10).get(1).size()).isEqualTo(2);
  }

  @Test
  void listsGoInByteOrderOfFullKeys() {
    List<String> keys =
        List.of("a-b/1", "a.b", "a/0", "a/0-1", "a/00/x", "a/00/y", "a/1", "a0", "ab", "b/c/d/e");
    for (int i = keys.size() - 1; i >= 0; i--) {
      store.putIfAbsent(keys.get(i), parts("x"));
    }

    assertThat(keys("", "", 100)).isEqualTo(keys);
    assertThat(keys("a", "", 100)).isEqualTo(keys.subList(0, 9));
    assertThat(keys("a/", "", 100)).isEqualTo(keys.subList(2, 7));
    assertThat(keys("a/0", "", 100)).isEqualTo(keys.subList(2, 6));
    assertThat(keys("b/c", "", 100)).containsExactly("b/c/d/e");
    assertThat(keys("c", "", 100)).isEmpty();
  }

  @Test
  void listsStartAfterAnyKeyAndStopAtMax() {
    List<String> keys = List.of("a/0/1", "a/0/2", "a/1/1", "a/1/2", "a/2/1");
    keys.forEach(key -> store.putIfAbsent(key, parts(key)));

    assertThat(keys("a/", "a/0/1", 100)).isEqualTo(keys.subList(1, 5));
    assertThat(keys("a/", "a/0/15", 100)).isEqualTo(keys.subList(1, 5));
    assertThat(keys("a/", "a/1", 2)).isEqualTo(keys.subList(2, 4));
    assertThat(keys("a/", "a/0/9", 1)).containsExactly("a/1/1");
    assertThat(keys("a/", "a/1/1.5", 100)).isEqualTo(keys.subList(3, 5));
    assertThat(keys("a/1", "a/0/1", 100)).isEqualTo(keys.subList(2, 4));
    assertThat(keys("a/0", "a/1/1", 100)).isEmpty();
    assertThat(keys("a/", "a/2/1", 100)).isEmpty();
    assertThat(keys("a/", "b", 100)).isEmpty();
  }

  @Test
  void listsOfManyObjectsAreWholeAndSorted() {
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < 1_100; i++) {
      keys.add("many/%02x/%04x".formatted(i / 300, i));
    }
    keys.forEach(key -> store.putIfAbsent(key, parts("x")));

    assertThat(keys("many/", "", 5_000)).isEqualTo(keys);
    assertThat(keys("many/", "", 1_050)).isEqualTo(keys.subList(0, 1_050));
    assertThat(keys("many/", keys.get(40), 1_030)).isEqualTo(keys.subList(41, 1_071));

    store.delete(keys);
    assertThat(keys("many/", "", 10)).isEmpty();
  }

  @Test
  void whatIsPutIsListedAtOnceAndWhatIsDeletedIsNot() {
    for (int i = 0; i < 50; i++) {
      String key = "a/%03d".formatted(i);
      store.putIfAbsent(key, parts("x"));
      assertThat(keys("a/", i == 0 ? "" : "a/%03d".formatted(i - 1), 10)).containsExactly(key);
    }

    store.delete(List.of("a/010", "a/049"));

    assertThat(keys("a/", "", 100)).hasSize(48).doesNotContain("a/010", "a/049");
  }

  /// Case B146: a file system or a server that only looks whether an object is there first.
  @Test
  void b146_fourWayRacesHaveExactlyOneWinnerWhoseBytesStay() throws Exception {
    ExecutorService racers = Executors.newFixedThreadPool(RACERS);
    try {
      CyclicBarrier start = new CyclicBarrier(RACERS);
      for (int race = 0; race < RACES; race++) {
        String key = "race/%04d".formatted(race);
        List<Future<PutOutcome>> outcomes = new ArrayList<>();
        for (int racer = 0; racer < RACERS; racer++) {
          outcomes.add(racers.submit(racer(start, key, racer)));
        }
        assertOneWinner(key, outcomes);
      }
    } finally {
      racers.shutdownNow();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", "/", "/a", "a/", "a//b", ".", "..", "a/../b", "a/./b", "a b", "ä", "a\\b", "~"
      })
  void badKeysAreRefused(String key) {
    assertThatThrownBy(() -> store.putIfAbsent(key, parts("x")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.put(key, bytes("x")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.get(key, ByteRange.ALL))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.head(key)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.delete(List.of(key)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(store.list("", "", 10)).isEmpty();
  }

  @Test
  void keysMayUseAllAllowedCharactersAndBeLong() {
    String folder = "A-Z_a.z/09/.hidden/...";
    String key = folder + "/" + "x".repeat(200) + "/" + "y".repeat(200);

    store.putIfAbsent(key, parts("x"));

    assertThat(text(key)).isEqualTo("x");
    assertThat(keys("A-Z_a.z/09/.h", "", 10)).containsExactly(key);
    assertThatThrownBy(() -> store.head("x".repeat(513)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void badListsAreRefused() {
    assertThatThrownBy(() -> store.list("a", "", 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.list("/a", "", 1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.list("a/../b", "", 1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private Callable<PutOutcome> racer(CyclicBarrier start, String key, int racer) {
    byte[] body = new byte[20_000];
    Arrays.fill(body, (byte) racer);
    return () -> {
      start.await();
      return store.putIfAbsent(key, List.of(body));
    };
  }

  private void assertOneWinner(String key, List<Future<PutOutcome>> outcomes) throws Exception {
    int winner = -1;
    for (int racer = 0; racer < outcomes.size(); racer++) {
      PutOutcome outcome = outcomes.get(racer).get();
      if (outcome.equals(PutOutcome.CREATED)) {
        assertThat(winner).as("second winner of %s", key).isEqualTo(-1);
        winner = racer;
      } else {
        assertThat(outcome).as(key).isEqualTo(PutOutcome.EXISTS);
      }
    }
    assertThat(winner).as("winner of %s", key).isNotEqualTo(-1);
    byte[] stored = store.get(key, ByteRange.ALL).orElseThrow().bytes();
    assertThat(stored).hasSize(20_000).containsOnly((byte) winner);
  }

  private void assertRange(ByteRange range, long offset, String expected) {
    StoredBytes found = store.get("a", range).orElseThrow();
    assertThat(new String(found.bytes(), UTF_8)).as(range.toString()).isEqualTo(expected);
    assertThat(found.offset()).as(range.toString()).isEqualTo(offset);
    assertThat(found.meta().size()).as(range.toString()).isEqualTo(10);
    assertThat(found.meta().key()).isEqualTo("a");
  }

  private String text(String key) {
    return new String(store.get(key, ByteRange.ALL).orElseThrow().bytes(), UTF_8);
  }

  private List<ObjectMeta> listed(String prefix, String startAfter, int max) {
    return store.list(prefix, startAfter, max);
  }

  private List<String> keys(String prefix, String startAfter, int max) {
    return listed(prefix, startAfter, max).stream().map(ObjectMeta::key).toList();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static List<byte[]> parts(String text) {
    return List.of(bytes(text));
  }
}
