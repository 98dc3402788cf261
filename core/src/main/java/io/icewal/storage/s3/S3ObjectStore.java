package io.icewal.storage.s3;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.storage.ByteRange;
import io.icewal.storage.ObjectKeys;
import io.icewal.storage.ObjectMeta;
import io.icewal.storage.ObjectStore;
import io.icewal.storage.PutOutcome;
import io.icewal.storage.StoredBytes;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.core.sync.ResponseTransformer;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.services.s3.model.DeleteObjectsResponse;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Object;

/// Objects in an S3 bucket, or in anything that speaks its protocol with `If-None-Match: *`, strong
/// consistency and ordered lists. Directory buckets (S3 Express) list without order and are refused
/// at the first list that shows it.
///
/// Thread-safe.
public final class S3ObjectStore implements ObjectStore {
  /// The most that S3 lists, and deletes, in one request.
  private static final int KEYS_PER_REQUEST_MAX = 1_000;

  private final String bucket;
  private final String folder;
  private final S3Clients clients;

  private S3ObjectStore(String bucket, String folder, S3Clients clients) {
    this.bucket = bucket;
    this.folder = folder;
    this.clients = clients;
  }

  /// Opens the store below a location. Nothing is asked of S3 yet.
  ///
  /// @param location `s3://bucket` or `s3://bucket/path`
  /// @param icebergProperties `s3.endpoint`, `s3.path-style-access`, `s3.access-key-id`,
  ///   `s3.secret-access-key`, `client.region`, … as for Iceberg's S3FileIO; without credentials
  ///   among them, the SDK's usual chain
  public static S3ObjectStore open(String location, Map<String, String> icebergProperties) {
    if (!location.matches("s3://[^/]+(/.*)?")) {
      throw new IllegalArgumentException("not an S3 location: '" + location + "'");
    }
    String rest = location.substring("s3://".length()).replaceAll("/+$", "");
    int slash = rest.indexOf('/');
    String bucket = slash < 0 ? rest : rest.substring(0, slash);
    String folder = slash < 0 ? "" : rest.substring(slash + 1) + "/";
    try {
      return new S3ObjectStore(bucket, folder, S3Clients.create(icebergProperties));
    } catch (SdkException e) {
      throw S3Answers.unavailable("open", location, e);
    }
  }

  @Override
  public PutOutcome putIfAbsent(String key, List<byte[]> parts) {
    PutObjectRequest request = putRequest(key, parts).toBuilder().ifNoneMatch("*").build();
    try {
      clients.conditional().putObject(request, body(parts));
      return PutOutcome.CREATED;
    } catch (SdkException e) {
      return S3Answers.toConditionalPut(e, place(key));
    } catch (RuntimeException e) {
      // Such as from a client that was closed meanwhile: the request may be on its way.
      return new PutOutcome.Unknown(e);
    }
  }

  @Override
  public void put(String key, byte[] bytes) {
    List<byte[]> parts = List.of(bytes);
    try {
      clients.retrying().putObject(putRequest(key, parts), body(parts));
    } catch (SdkException e) {
      throw S3Answers.unavailable("put", place(key), e);
    }
  }

  @Override
  public Optional<StoredBytes> get(String key, ByteRange range) {
    String name = name(key);
    try {
      ResponseBytes<GetObjectResponse> answer =
          clients
              .retrying()
              .getObject(
                  request -> request.bucket(bucket).key(name).range(header(range)),
                  ResponseTransformer.toBytes());
      return Optional.of(stored(key, range, answer));
    } catch (SdkException e) {
      if (S3Answers.isAbsent(e)) {
        return Optional.empty();
      }
      if (S3Answers.isRangeBeyondEnd(e)) {
        return head(key).map(meta -> new StoredBytes(new byte[0], range.from(meta.size()), meta));
      }
      throw S3Answers.unavailable("get", place(key), e);
    }
  }

  @Override
  public Optional<ObjectMeta> head(String key) {
    String name = name(key);
    try {
      HeadObjectResponse answer =
          clients.retrying().headObject(request -> request.bucket(bucket).key(name));
      return Optional.of(new ObjectMeta(key, answer.contentLength(), answer.lastModified()));
    } catch (SdkException e) {
      if (S3Answers.isAbsent(e)) {
        return Optional.empty();
      }
      throw S3Answers.unavailable("head", place(key), e);
    }
  }

  @Override
  public List<ObjectMeta> list(String prefix, String startAfter, int max) {
    if (max < 1) {
      throw new IllegalArgumentException("max must be >= 1, got " + max);
    }
    String namePrefix = folder + ObjectKeys.checkPrefix(prefix);
    String after = ObjectKeys.checkPrefix(startAfter).isEmpty() ? null : folder + startAfter;
    List<ObjectMeta> found = new ArrayList<>();
    String last = startAfter;
    @Nullable String continuation = null;
    do {
      ListObjectsV2Response page = page(namePrefix, after, continuation, max - found.size());
      for (S3Object object : page.contents()) {
        ObjectMeta meta = meta(object);
        requireOrder(last, meta.key());
        last = meta.key();
        found.add(meta);
      }
      continuation = page.isTruncated() ? page.nextContinuationToken() : null;
    } while (continuation != null && found.size() < max);
    return found;
  }

  @Override
  public void delete(Collection<String> keys) {
    List<ObjectIdentifier> names = new ArrayList<>();
    for (String key : keys) {
      names.add(ObjectIdentifier.builder().key(name(key)).build());
    }
    for (int from = 0; from < names.size(); from += KEYS_PER_REQUEST_MAX) {
      deleteSome(names.subList(from, Math.min(names.size(), from + KEYS_PER_REQUEST_MAX)));
    }
  }

  @Override
  public String describe() {
    return place("").replaceAll("/$", "");
  }

  @Override
  public void close() {
    clients.close();
  }

  private ListObjectsV2Response page(
      String prefix, @Nullable String after, @Nullable String continuation, int max) {
    try {
      return clients
          .retrying()
          .listObjectsV2(
              request ->
                  request
                      .bucket(bucket)
                      .prefix(prefix)
                      .startAfter(continuation == null ? after : null)
                      .continuationToken(continuation)
                      .maxKeys(Math.min(max, KEYS_PER_REQUEST_MAX)));
    } catch (SdkException e) {
      throw S3Answers.unavailable("list", "s3://" + bucket + "/" + prefix, e);
    }
  }

  private void deleteSome(List<ObjectIdentifier> names) {
    DeleteObjectsResponse answer;
    try {
      answer =
          clients
              .retrying()
              .deleteObjects(
                  request ->
                      request.bucket(bucket).delete(delete -> delete.objects(names).quiet(true)));
    } catch (SdkException e) {
      throw S3Answers.unavailable("delete", place(""), e);
    }
    if (!answer.errors().isEmpty()) {
      throw new IcewalException(
          ErrorKind.UNAVAILABLE,
          "cannot delete "
              + answer.errors().size()
              + " of "
              + names.size()
              + " objects below "
              + describe()
              + ", first "
              + answer.errors().get(0));
    }
  }

  private PutObjectRequest putRequest(String key, List<byte[]> parts) {
    CRC32C checksum = new CRC32C();
    parts.forEach(checksum::update);
    byte[] bytes = ByteBuffer.allocate(4).putInt((int) checksum.getValue()).array();
    return PutObjectRequest.builder()
        .bucket(bucket)
        .key(name(key))
        .contentLength(length(parts))
        .checksumCRC32C(Base64.getEncoder().encodeToString(bytes))
        .build();
  }

  private static RequestBody body(List<byte[]> parts) {
    ContentStreamProvider provider = () -> stream(parts);
    return RequestBody.fromContentProvider(provider, length(parts), "application/octet-stream");
  }

  private static InputStream stream(List<byte[]> parts) {
    List<InputStream> streams = new ArrayList<>();
    parts.forEach(part -> streams.add(new ByteArrayInputStream(part)));
    return new SequenceInputStream(Collections.enumeration(streams));
  }

  private static long length(List<byte[]> parts) {
    return parts.stream().mapToLong(part -> part.length).sum();
  }

  private static @Nullable String header(ByteRange range) {
    if (range instanceof ByteRange.Slice slice) {
      return "bytes=" + slice.offset() + "-" + (slice.offset() + slice.length() - 1);
    }
    return range instanceof ByteRange.Suffix suffix ? "bytes=-" + suffix.length() : null;
  }

  /// A server may leave the range aside and answer with the whole object, as HTTP allows.
  private static StoredBytes stored(
      String key, ByteRange range, ResponseBytes<GetObjectResponse> answer) {
    byte[] bytes = answer.asByteArrayUnsafe();
    @Nullable String contentRange = answer.response().contentRange();
    boolean whole = contentRange == null;
    long size =
        whole
            ? bytes.length
            : Long.parseLong(contentRange.substring(contentRange.indexOf('/') + 1));
    long from = range.from(size);
    if (whole) {
      bytes = Arrays.copyOfRange(bytes, (int) from, (int) range.to(size));
    } else if (bytes.length != range.to(size) - from) {
      throw new IcewalException(
          ErrorKind.UNAVAILABLE,
          "asked for " + range + " of '" + key + "' and got " + contentRange);
    }
    ObjectMeta meta = new ObjectMeta(key, size, answer.response().lastModified());
    return new StoredBytes(bytes, from, meta);
  }

  private ObjectMeta meta(S3Object object) {
    String key = object.key().substring(folder.length());
    return new ObjectMeta(key, object.size(), object.lastModified());
  }

  /// The log finds its end by lists in order: a server that cannot would hide segments.
  private void requireOrder(String before, String key) {
    if (key.compareTo(before) <= 0) {
      throw new IcewalException(
          ErrorKind.INVALID,
          describe()
              + " lists '"
              + key
              + "' after '"
              + before
              + "'; icewal needs lists in the byte"
              + " order of keys (directory buckets, as S3 Express has, do not give them)");
    }
  }

  private String name(String key) {
    return folder + ObjectKeys.check(key);
  }

  private String place(String key) {
    return "s3://" + bucket + "/" + folder + key;
  }
}
