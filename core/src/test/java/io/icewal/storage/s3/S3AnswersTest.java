package io.icewal.storage.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.storage.ByteRange;
import io.icewal.storage.ObjectMeta;
import io.icewal.storage.ObjectStore;
import io.icewal.storage.ObjectStoreContract;
import io.icewal.storage.PutOutcome;
import io.icewal.storage.s3.FakeS3.Fault;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Every answer that S3 can give, told apart; and the contract against the server that gives them.
final class S3AnswersTest extends ObjectStoreContract {
  private static FakeS3 server;
  private static int stores;

  @BeforeAll
  static void startServer() throws Exception {
    server = FakeS3.start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @Override
  protected ObjectStore openEmpty() {
    Map<String, String> properties = server.icebergProperties();
    properties.put("http-client.apache.socket-timeout-ms", "2000");
    return S3ObjectStore.open("s3://bucket/" + stores++, properties);
  }

  @ParameterizedTest
  @CsvSource({
    "409, false",
    "409, true",
    "403, false",
    "400, false",
    "404, false",
    "429, false",
    "500, false",
    "500, true",
    "503, false",
    "503, true",
    "504, true"
  })
  void everyErrorOfAConditionalPutIsUnknownAndIsNotTriedAgain(int status, boolean applied) {
    int requests = server.requests().size();
    server.next(new Fault.Status(status, applied));

    PutOutcome outcome = store().putIfAbsent("a", List.of(new byte[1]));

    assertThat(outcome).isInstanceOf(PutOutcome.Unknown.class);
    assertThat(server.requests()).hasSize(requests + 1);
    assertThat(store().putIfAbsent("a", List.of(new byte[1])))
        .isEqualTo(applied ? PutOutcome.EXISTS : PutOutcome.CREATED);
  }

  /// Case B145: a client that repeats the put meets its own object and takes it for another's.
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void b145_lostAnswerIsUnknownAndTheObjectIsWrittenOnce(boolean applied) {
    int requests = server.requests().size();
    server.next(new Fault.Reset(applied));

    PutOutcome outcome = store().putIfAbsent("a", List.of(new byte[3]));

    assertThat(outcome).isInstanceOf(PutOutcome.Unknown.class);
    assertThat(server.requests()).hasSize(requests + 1);
    assertThat(store().get("a", ByteRange.ALL).isPresent()).isEqualTo(applied);
  }

  @Test
  void putThatTimesOutIsUnknownAndMayLandLater() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch applied = new CountDownLatch(1);
    server.next(new Fault.Late(release, applied));

    PutOutcome outcome = store().putIfAbsent("a", List.of(new byte[3]));

    assertThat(outcome).isInstanceOf(PutOutcome.Unknown.class);
    assertThat(store().head("a")).isEmpty();
    release.countDown();
    assertThat(applied.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(store().head("a")).isPresent();
  }

  @Test
  void serverThatIsDownIsUnknownForPutsAndUnavailableForTheRest() {
    Map<String, String> properties = server.icebergProperties();
    properties.put("s3.endpoint", "http://127.0.0.1:1");
    try (ObjectStore down = S3ObjectStore.open("s3://bucket/log", properties)) {
      assertThat(down.putIfAbsent("a", List.of(new byte[1])))
          .isInstanceOf(PutOutcome.Unknown.class);
      assertUnavailable(() -> down.get("a", ByteRange.ALL));
    }
  }

  /// Case B154.
  @Test
  void b154_refusalsEndWhenTheRightsAreBack() {
    server.next(new Fault.Status(403, false), new Fault.Status(403, false));

    assertThat(store().putIfAbsent("a", List.of(new byte[1])))
        .isInstanceOfSatisfying(
            PutOutcome.Unknown.class,
            unknown -> assertThat(unknown.cause()).hasMessageContaining("the role needs to"));
    assertThatThrownBy(() -> store().get("a", ByteRange.ALL))
        .hasMessageContaining("a missing object answers 403, too");
    assertThat(store().putIfAbsent("a", List.of(new byte[1]))).isEqualTo(PutOutcome.CREATED);
  }

  /// Case b139: a token that ends (S3 answers 400 `ExpiredToken`, others 401) is one that is
  /// renewed by the client library; until then every request fails as one to be tried again, and a
  /// put is never taken for stored or refused.
  @ParameterizedTest
  @ValueSource(ints = {400, 401, 403})
  void b139_anExpiredTokenIsUnavailableUntilItIsRenewed(int status) {
    store().put("there", new byte[1]);
    Fault[] expired = new Fault[4];
    Arrays.fill(expired, new Fault.Status(status, false));
    server.next(expired);

    assertUnavailable(() -> store().get("there", ByteRange.ALL));
    assertUnavailable(() -> store().head("there"));
    assertUnavailable(() -> store().put("a", new byte[1]));
    assertThat(store().putIfAbsent("a", List.of(new byte[1])))
        .isInstanceOf(PutOutcome.Unknown.class);

    assertThat(store().putIfAbsent("a", List.of(new byte[1]))).isEqualTo(PutOutcome.CREATED);
    assertThat(store().get("there", ByteRange.ALL)).isPresent();
  }

  @Test
  void whatIsNotConditionalIsTriedAgain() {
    server.next(new Fault.Status(503, false));
    store().put("a", new byte[5]);
    server.next(new Fault.Status(500, false));
    assertThat(store().get("a", new ByteRange.Suffix(2)).orElseThrow().bytes()).hasSize(2);
    server.next(new Fault.Reset(false));
    assertThat(store().head("a").orElseThrow().size()).isEqualTo(5);
    server.next(new Fault.Status(503, true));
    store().delete(List.of("a"));

    assertThat(store().list("", "", 10)).isEmpty();
  }

  @Test
  void errorsThatStayAreUnavailable() {
    Fault[] many = new Fault[5];
    Arrays.fill(many, new Fault.Status(503, false));

    server.next(Arrays.copyOf(many, 3));
    assertUnavailable(() -> store().put("a", new byte[1]));
    server.next(Arrays.copyOf(many, 3));
    assertUnavailable(() -> store().get("a", ByteRange.ALL));
    server.next(Arrays.copyOf(many, 3));
    assertUnavailable(() -> store().head("a"));
    server.next(Arrays.copyOf(many, 3));
    assertUnavailable(() -> store().delete(List.of("a")));
  }

  @Test
  void listsOutOfOrderAreRefused() throws Exception {
    try (FakeS3 reverse = FakeS3.start();
        ObjectStore express = S3ObjectStore.open("s3://b/log", reverse.icebergProperties())) {
      express.put("a", new byte[1]);
      express.put("b", new byte[1]);
      assertThat(express.list("", "", 10)).extracting(ObjectMeta::key).containsExactly("a", "b");
      reverse.listInReverse();

      assertThatThrownBy(() -> express.list("", "", 10))
          .isInstanceOfSatisfying(
              IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.INVALID))
          .hasMessageContaining("s3://b/log lists 'a' after 'b'");
    }
  }

  private static void assertUnavailable(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.UNAVAILABLE));
  }
}
