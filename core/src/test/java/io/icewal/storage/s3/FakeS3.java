package io.icewal.storage.s3;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A small S3 server within the test's own process, to give exactly the answer a test asks for.
///
/// Every request is served under one lock, so conditional puts are atomic. Faults wait in a queue;
/// each request that is not a list takes the next. Neither signatures nor checksums are looked at.
public final class FakeS3 implements AutoCloseable {
  /// What happens to one request.
  public sealed interface Fault {
    Fault NONE = new None();

    /// Served as usual.
    record None() implements Fault {}

    /// Answered with an error; applied before, or not at all.
    record Status(int status, boolean applied) implements Fault {}

    /// The connection is closed without an answer; applied before, or not at all.
    record Reset(boolean applied) implements Fault {}

    /// Nothing happens before `release` has been counted down; then it is applied, `applied` is
    /// counted down, and an answer is sent that nobody may wait for any more.
    record Late(CountDownLatch release, CountDownLatch applied) implements Fault {}
  }

  static {
    // Else each answer with a body waits 40 ms for the acknowledgement of its headers.
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  private record Entry(byte[] bytes, Instant modified) {}

  private record Answer(int status, byte[] body) {}

  private static final Pattern RANGE = Pattern.compile("bytes=(\\d*)-(\\d*)");
  private static final Pattern KEY = Pattern.compile("<Key>([^<]*)</Key>");

  private final HttpServer server;
  private final ExecutorService handlers = Executors.newCachedThreadPool();
  private final Object lock = new Object();
  private final TreeMap<String, Entry> objects = new TreeMap<>();
  private final Queue<Fault> faults = new ArrayDeque<>();
  private final List<String> requests = new ArrayList<>();
  private boolean ordered = true;

  private FakeS3(HttpServer server) {
    this.server = server;
  }

  public static FakeS3 start() throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    FakeS3 fake = new FakeS3(server);
    server.createContext("/", fake::handle);
    server.setExecutor(fake.handlers);
    server.start();
    return fake;
  }

  /// What [S3ObjectStore] needs to reach this server.
  public Map<String, String> icebergProperties() {
    return new HashMap<>(
        Map.of(
            "s3.endpoint", "http://127.0.0.1:" + server.getAddress().getPort(),
            "s3.path-style-access", "true",
            "s3.access-key-id", "any",
            "s3.secret-access-key", "any",
            "client.region", "us-east-1"));
  }

  /// The next requests meet these faults, one each.
  public void next(Fault... upcoming) {
    synchronized (lock) {
      faults.addAll(List.of(upcoming));
    }
  }

  /// From now on lists come in reverse order, as no S3 bucket but some emulators and directory
  /// buckets answer.
  public void listInReverse() {
    synchronized (lock) {
      ordered = false;
    }
  }

  /// Method and path of all requests so far.
  public List<String> requests() {
    synchronized (lock) {
      return List.copyOf(requests);
    }
  }

  @Override
  public void close() {
    server.stop(0);
    handlers.shutdownNow();
  }

  private void handle(HttpExchange exchange) throws IOException {
    byte[] body = body(exchange);
    Map<String, String> query = query(exchange);
    Fault fault;
    synchronized (lock) {
      requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath());
      boolean mayFail = !query.containsKey("list-type") && !faults.isEmpty();
      fault = mayFail ? faults.remove() : Fault.NONE;
    }
    if (fault instanceof Fault.Late late) {
      handleLate(exchange, query, body, late);
    } else if (fault instanceof Fault.Status status) {
      if (status.applied()) {
        serve(exchange, query, body);
      }
      send(exchange, error(status.status(), "Injected"));
    } else if (fault instanceof Fault.Reset reset) {
      if (reset.applied()) {
        serve(exchange, query, body);
      }
      exchange.close();
    } else {
      send(exchange, serve(exchange, query, body));
    }
  }

  private void handleLate(
      HttpExchange exchange, Map<String, String> query, byte[] body, Fault.Late late)
      throws IOException {
    try {
      late.release().await();
    } catch (InterruptedException e) {
      exchange.close();
      return;
    }
    Answer answer = serve(exchange, query, body);
    late.applied().countDown();
    send(exchange, answer);
  }

  private Answer serve(HttpExchange exchange, Map<String, String> query, byte[] body) {
    String[] path = exchange.getRequestURI().getPath().substring(1).split("/", 2);
    String key = path.length == 2 ? path[1] : "";
    synchronized (lock) {
      return switch (exchange.getRequestMethod()) {
        case "PUT" -> put(exchange, key, body);
        case "POST" -> delete(body);
        case "HEAD" -> get(exchange, key, false);
        default -> key.isEmpty() ? list(query) : get(exchange, key, true);
      };
    }
  }

  private Answer put(HttpExchange exchange, String key, byte[] body) {
    if (exchange.getRequestHeaders().containsKey("If-none-match") && objects.containsKey(key)) {
      return error(412, "PreconditionFailed");
    }
    objects.put(key, new Entry(body, Instant.now()));
    return new Answer(200, new byte[0]);
  }

  private Answer delete(byte[] body) {
    Matcher matcher = KEY.matcher(new String(body, UTF_8));
    while (matcher.find()) {
      objects.remove(matcher.group(1));
    }
    return xml(200, "<DeleteResult></DeleteResult>");
  }

  private Answer get(HttpExchange exchange, String key, boolean withBody) {
    Entry entry = objects.get(key);
    if (entry == null) {
      return error(404, "NoSuchKey");
    }
    exchange
        .getResponseHeaders()
        .set(
            "Last-Modified",
            DateTimeFormatter.RFC_1123_DATE_TIME.format(entry.modified.atOffset(ZoneOffset.UTC)));
    if (!withBody) {
      exchange.getResponseHeaders().set("Content-Length", "" + entry.bytes.length);
      return new Answer(200, new byte[0]);
    }
    return range(exchange, entry.bytes);
  }

  private static Answer range(HttpExchange exchange, byte[] bytes) {
    @Nullable String header = exchange.getRequestHeaders().getFirst("Range");
    if (header == null) {
      return new Answer(200, bytes);
    }
    Matcher range = RANGE.matcher(header);
    if (!range.matches()) {
      return error(400, "InvalidArgument");
    }
    boolean suffix = range.group(1).isEmpty();
    int from =
        suffix
            ? Math.max(0, bytes.length - Integer.parseInt(range.group(2)))
            : Integer.parseInt(range.group(1));
    if (from >= bytes.length) {
      return error(416, "InvalidRange");
    }
    int to = suffix ? bytes.length : Math.min(bytes.length, Integer.parseInt(range.group(2)) + 1);
    exchange
        .getResponseHeaders()
        .set("Content-Range", "bytes " + from + "-" + (to - 1) + "/" + bytes.length);
    return new Answer(206, Arrays.copyOfRange(bytes, from, to));
  }

  private Answer list(Map<String, String> query) {
    String prefix = query.getOrDefault("prefix", "");
    String after = query.getOrDefault("continuation-token", query.getOrDefault("start-after", ""));
    int max = Integer.parseInt(query.getOrDefault("max-keys", "1000"));
    List<String> keys =
        new ArrayList<>(
            objects.tailMap(after, false).keySet().stream()
                .filter(key -> key.startsWith(prefix))
                .toList());
    boolean truncated = keys.size() > max;
    List<String> page = truncated ? keys.subList(0, max) : keys;
    if (!ordered) {
      page.sort((left, right) -> right.compareTo(left));
    }
    StringBuilder xml = new StringBuilder("<ListBucketResult>");
    page.forEach(key -> xml.append(listed(key)));
    xml.append("<IsTruncated>").append(truncated).append("</IsTruncated>");
    if (truncated) {
      xml.append("<NextContinuationToken>").append(page.get(max - 1));
      xml.append("</NextContinuationToken>");
    }
    return xml(200, xml.append("</ListBucketResult>").toString());
  }

  private String listed(String key) {
    Entry entry = objects.get(key);
    return "<Contents><Key>%s</Key><Size>%d</Size><LastModified>%s</LastModified></Contents>"
        .formatted(key, entry.bytes.length, entry.modified);
  }

  private static Answer error(int status, String code) {
    return xml(status, "<Error><Code>" + code + "</Code><Message>" + code + "</Message></Error>");
  }

  private static Answer xml(int status, String text) {
    return new Answer(status, text.getBytes(UTF_8));
  }

  private static void send(HttpExchange exchange, Answer answer) throws IOException {
    try (exchange) {
      boolean empty = answer.body.length == 0 || exchange.getRequestMethod().equals("HEAD");
      exchange.sendResponseHeaders(answer.status, empty ? -1 : answer.body.length);
      if (!empty) {
        exchange.getResponseBody().write(answer.body);
      }
    }
  }

  private static Map<String, String> query(HttpExchange exchange) {
    Map<String, String> query = new HashMap<>();
    @Nullable String raw = exchange.getRequestURI().getRawQuery();
    if (raw != null) {
      for (String pair : raw.split("&")) {
        String[] parts = pair.split("=", 2);
        query.put(parts[0], parts.length == 2 ? URLDecoder.decode(parts[1], UTF_8) : "");
      }
    }
    return query;
  }

  /// The body without the framing that the SDK puts around it when it signs piece by piece: each
  /// piece has a line with its length in hexadecimal before it.
  private static byte[] body(HttpExchange exchange) throws IOException {
    byte[] raw = exchange.getRequestBody().readAllBytes();
    @Nullable String digest = exchange.getRequestHeaders().getFirst("X-amz-content-sha256");
    if (digest == null || !digest.startsWith("STREAMING-")) {
      return raw;
    }
    ByteArrayOutputStream plain = new ByteArrayOutputStream();
    int at = 0;
    while (true) {
      int end = at;
      while (raw[end] != '\r') {
        end++;
      }
      String line = new String(raw, at, end - at, UTF_8);
      int length = Integer.parseInt(line.split(";", 2)[0], 16);
      if (length == 0) {
        return plain.toByteArray();
      }
      plain.write(raw, end + 2, length);
      at = end + 2 + length + 2;
    }
  }
}
