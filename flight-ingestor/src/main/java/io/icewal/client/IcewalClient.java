package io.icewal.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import io.icewal.protocol.AdoptRequest;
import io.icewal.protocol.Errors;
import io.icewal.protocol.Json;
import io.icewal.protocol.JsonMembers;
import io.icewal.protocol.PutRequest;
import io.icewal.protocol.ReadRequest;
import io.icewal.protocol.TableAdoption;
import io.icewal.protocol.TableDefinition;
import io.icewal.protocol.TableDescription;
import io.icewal.protocol.TableStatus;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightGrpcUtils;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.Result;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.iceberg.catalog.TableIdentifier;

/// A connection to an icewal server. Thread-safe; the streams that it opens are not.
///
/// Every method fails with [IcewalException], whose kind says what to do. Close its streams before
/// the client.
public final class IcewalClient implements AutoCloseable {
  /// The address of a server with default configuration.
  public static final URI DEFAULT_SERVER = URI.create("grpc://127.0.0.1:8815");

  private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(5);

  private final ManagedChannel channel;
  private final FlightClient flight;

  private IcewalClient(ManagedChannel channel, BufferAllocator allocator) {
    this.channel = channel;
    this.flight = FlightGrpcUtils.createFlightClient(allocator, channel);
  }

  /// Connects when first used.
  ///
  /// @param server `grpc://host:port`
  /// @param allocator for the batches that are read; the caller's, it must outlive the client
  public static IcewalClient connect(URI server, BufferAllocator allocator) {
    String scheme = server.getScheme();
    if (!("grpc".equals(scheme) || "grpc+tcp".equals(scheme)) || server.getPort() < 0) {
      throw new IcewalException(
          ErrorKind.INVALID, "server address must look like " + DEFAULT_SERVER + ", got " + server);
    }
    // Without gRPC's own retries: they keep and resend messages whose buffers are long released.
    ManagedChannel channel =
        NettyChannelBuilder.forAddress(server.getHost(), server.getPort())
            .usePlaintext()
            .disableRetry()
            .maxTraceEvents(0)
            .maxInboundMessageSize(Integer.MAX_VALUE)
            .build();
    return new IcewalClient(channel, allocator);
  }

  /// Opens a put stream with default limits.
  ///
  /// @param request without a producer, the stream makes one of its own
  /// @param schema of all batches; columns without dictionaries
  public PutStream put(PutRequest request, Schema schema) {
    return put(request, schema, PutLimits.DEFAULT);
  }

  public PutStream put(PutRequest request, Schema schema, PutLimits limits) {
    return new PutStream(channel, request, schema, limits);
  }

  /// Reads a table. The caller closes the stream.
  public RowStream read(ReadRequest request) {
    try {
      return new RowStream(flight.getStream(new Ticket(request.toJson())));
    } catch (FlightRuntimeException e) {
      throw Errors.received(e);
    }
  }

  public TableDescription create(TableDefinition definition) {
    return TableDescription.parse(call("icewal.create_table", definition.toJson()));
  }

  /// Takes over a table of another engine, or one that was replaced. The server reads all of its
  /// keys, which takes its time.
  ///
  /// @throws IcewalException INVALID with a verdict for each reason if it cannot be adopted; a dry
  ///   run answers that
  public TableAdoption adopt(AdoptRequest request) {
    return TableAdoption.parse(call("icewal.adopt_table", request.toJson()));
  }

  public TableDescription describe(TableIdentifier table) {
    return TableDescription.parse(call("icewal.describe_table", body(table)));
  }

  /// All tables of the catalog, in the order of their names.
  public List<TableIdentifier> tables() {
    JsonMembers answer = answer("icewal.list_tables", Json.object());
    List<TableIdentifier> tables = new ArrayList<>();
    for (JsonNode names : answer.required("tables")) {
      List<String> parts = new ArrayList<>();
      names.forEach(name -> parts.add(name.asText()));
      tables.add(Json.table(parts));
    }
    return tables;
  }

  /// Drops a table from the catalog; its files go with it if the catalog deletes files on drop.
  public void drop(TableIdentifier table) {
    call("icewal.drop_table", body(table));
  }

  /// Waits until everything acknowledged before this call is in an Iceberg snapshot.
  ///
  /// @return the table's position, which is at or beyond all of that
  /// @throws IcewalException UNAVAILABLE when the time is over
  public Position flush(TableIdentifier table, Duration timeout) {
    ObjectNode body = Json.object();
    body.set("table", Json.table(table));
    body.put("timeout_ms", timeout.toMillis());
    return Position.parse(answer("icewal.flush_table", body).required("position").asText());
  }

  public TableStatus status(TableIdentifier table) {
    ObjectNode body = Json.object();
    body.set("table", Json.table(table));
    return TableStatus.parse(answer("icewal.status", body).required("tables").path(0));
  }

  /// The status of all tables of the catalog.
  public List<TableStatus> status() {
    List<TableStatus> all = new ArrayList<>();
    answer("icewal.status", Json.object())
        .required("tables")
        .forEach(table -> all.add(TableStatus.parse(table)));
    return all;
  }

  private static byte[] body(TableIdentifier table) {
    ObjectNode body = Json.object();
    body.set("table", Json.table(table));
    return Json.write(body);
  }

  private JsonMembers answer(String action, ObjectNode body) {
    return Json.read("answer of " + action, call(action, Json.write(body)));
  }

  private byte[] call(String action, byte[] body) {
    try {
      Iterator<Result> results = flight.doAction(new Action(action, body));
      if (!results.hasNext()) {
        throw new IcewalException(ErrorKind.INTERNAL, "server gave no answer to " + action);
      }
      byte[] answer = results.next().getBody();
      results.forEachRemaining(more -> {});
      return answer;
    } catch (FlightRuntimeException e) {
      throw Errors.received(e);
    }
  }

  /// Ends the connection. Calls that still run fail.
  @Override
  public void close() {
    try {
      flight.close();
      if (!channel.awaitTermination(CLOSE_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        channel.shutdownNow();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      channel.shutdownNow();
    }
  }
}
