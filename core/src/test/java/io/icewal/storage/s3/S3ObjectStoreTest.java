package io.icewal.storage.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.storage.ByteRange;
import io.icewal.storage.ObjectStore;
import io.icewal.storage.ObjectStoreContract;
import io.icewal.storage.PutOutcome;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.aws.s3.S3FileIO;
import org.apache.iceberg.io.PositionOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The contract against s3proxy, a server of others' making.
final class S3ObjectStoreTest extends ObjectStoreContract {
  @TempDir static Path folder;
  private static S3ProxyServer server;
  private static int stores;

  @BeforeAll
  static void startServer() throws Exception {
    server = S3ProxyServer.start(folder).withBucket("bucket");
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @Override
  protected ObjectStore openEmpty() {
    return open("s3://bucket/some/path-" + stores++);
  }

  @Test
  void theBucketItselfCanBeTheRoot() throws Exception {
    server.withBucket("whole");
    try (ObjectStore whole = open("s3://whole/")) {
      whole.put("a/b", new byte[3]);

      assertThat(whole.describe()).isEqualTo("s3://whole");
      assertThat(whole.list("a/", "", 10)).singleElement().matches(meta -> meta.size() == 3);
    }
  }

  @Test
  void storesOfOneBucketDoNotSeeEachOther() {
    store().put("a", new byte[1]);
    try (ObjectStore other = openEmpty()) {
      assertThat(other.get("a", ByteRange.ALL)).isEmpty();
      assertThat(other.list("", "", 10)).isEmpty();
      assertThat(other.describe()).startsWith("s3://bucket/some/path-").doesNotEndWith("/");
    }
  }

  @Test
  void missingBucketIsAnErrorAndNotAnEmptyStore() {
    try (ObjectStore lost = open("s3://no-such-bucket/log")) {
      assertThatThrownBy(() -> lost.get("log.json", ByteRange.ALL))
          .isInstanceOfSatisfying(
              IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.UNAVAILABLE))
          .hasMessageContaining("s3://no-such-bucket/log/log.json");
      assertThatThrownBy(() -> lost.list("", "", 1)).isInstanceOf(IcewalException.class);
      assertThat(lost.putIfAbsent("log.json", List.of(new byte[1])))
          .isInstanceOf(PutOutcome.Unknown.class);
    }
  }

  @Test
  void aPutThroughAClosedStoreIsUnknown() {
    ObjectStore closed = open("s3://bucket/closed");
    closed.close();

    assertThat(closed.putIfAbsent("k", List.of(new byte[1])))
        .isInstanceOf(PutOutcome.Unknown.class);
  }

  @Test
  void wrongCredentialsAreAnErrorThatSaysSo() {
    Map<String, String> properties = server.icebergProperties();
    properties.put("s3.secret-access-key", "wrong");
    try (ObjectStore refused = S3ObjectStore.open("s3://bucket/log", properties)) {
      assertThatThrownBy(() -> refused.get("log.json", ByteRange.ALL))
          .isInstanceOf(IcewalException.class)
          .hasMessageContaining("the role needs to");
    }
  }

  @Test
  void icebergReachesTheSamePlaceByTheSameProperties() throws Exception {
    try (S3FileIO io = new S3FileIO()) {
      io.initialize(server.icebergProperties());
      try (PositionOutputStream out = io.newOutputFile("s3://bucket/shared/x").create()) {
        out.write("hello".getBytes(StandardCharsets.UTF_8));
      }
    }

    try (ObjectStore shared = open("s3://bucket/shared")) {
      assertThat(shared.get("x", new ByteRange.Suffix(2)).orElseThrow().bytes())
          .isEqualTo("lo".getBytes(StandardCharsets.UTF_8));
    }
  }

  private static ObjectStore open(String location) {
    return S3ObjectStore.open(location, server.icebergProperties());
  }
}
