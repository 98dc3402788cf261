package io.icewal.flight;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.protocol.Errors;
import io.icewal.protocol.ReadRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.ActionType;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightEndpoint;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.Result;
import org.apache.arrow.flight.SchemaResult;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.flight.sql.NoOpFlightSqlProducer;
import org.apache.arrow.vector.types.pojo.Schema;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// icewal's tickets, descriptors and actions. What is not icewal's own goes on to Flight SQL, of
/// which nothing is implemented yet. Puts do not come here but to [PutCall].
final class IngestProducer extends NoOpFlightSqlProducer {
  private static final Logger LOG = LoggerFactory.getLogger(IngestProducer.class);

  /// Descriptions of the actions, for `ListActions`.
  private static final Map<String, String> DESCRIPTIONS =
      Map.of(
          "icewal.create_table", "Creates a table; body and answer are JSON.",
          "icewal.adopt_table", "Takes over a table of another engine; body and answer are JSON.",
          "icewal.describe_table", "Describes a table; body and answer are JSON.",
          "icewal.list_tables", "Names all tables; body and answer are JSON.",
          "icewal.drop_table", "Drops a table; body and answer are JSON.",
          "icewal.flush_table", "Waits until all rows are in Iceberg; body and answer are JSON.",
          "icewal.status", "Tells how tables stand; body and answer are JSON.");

  private final ReadStreams reads;
  private final Map<String, UnaryOperator<byte[]>> actions = new LinkedHashMap<>();

  IngestProducer(ReadStreams reads, TableActions tables, AdoptAction adopt) {
    this.reads = reads;
    actions.put("icewal.create_table", tables::create);
    actions.put("icewal.adopt_table", adopt::run);
    actions.put("icewal.describe_table", tables::describe);
    actions.put("icewal.list_tables", tables::list);
    actions.put("icewal.drop_table", tables::drop);
    actions.put("icewal.flush_table", tables::flush);
    actions.put("icewal.status", tables::status);
  }

  @Override
  public void getStream(CallContext context, Ticket ticket, ServerStreamListener listener) {
    if (!Commands.isJson(ticket.getBytes())) {
      super.getStream(context, ticket, listener);
      return;
    }
    try {
      reads.start(ReadRequest.parse(ticket.getBytes()), listener);
    } catch (IcewalException e) {
      throw Errors.toFlight(e);
    }
  }

  @Override
  public FlightInfo getFlightInfo(CallContext context, FlightDescriptor descriptor) {
    if (!isOwn(descriptor)) {
      return super.getFlightInfo(context, descriptor);
    }
    ReadRequest request = request(descriptor);
    FlightEndpoint here =
        new FlightEndpoint(new Ticket(request.toJson()), Location.reuseConnection());
    return new FlightInfo(schema(request), descriptor, List.of(here), -1, -1);
  }

  @Override
  public SchemaResult getSchema(CallContext context, FlightDescriptor descriptor) {
    return isOwn(descriptor)
        ? new SchemaResult(schema(request(descriptor)))
        : super.getSchema(context, descriptor);
  }

  private static boolean isOwn(FlightDescriptor descriptor) {
    return !descriptor.isCommand() || Commands.isJson(descriptor.getCommand());
  }

  private static ReadRequest request(FlightDescriptor descriptor) {
    try {
      return descriptor.isCommand()
          ? ReadRequest.parse(descriptor.getCommand())
          : ReadRequest.ofPath(descriptor.getPath());
    } catch (IcewalException e) {
      throw Errors.toFlight(e);
    }
  }

  private Schema schema(ReadRequest request) {
    try {
      return reads.schema(request);
    } catch (IcewalException e) {
      throw Errors.toFlight(e);
    }
  }

  @Override
  public void listActions(CallContext context, StreamListener<ActionType> listener) {
    for (String name : actions.keySet()) {
      listener.onNext(new ActionType(name, String.valueOf(DESCRIPTIONS.get(name))));
    }
    listener.onCompleted();
  }

  @Override
  public void doAction(CallContext context, Action action, StreamListener<Result> listener) {
    UnaryOperator<byte[]> own = actions.get(action.getType());
    if (own == null) {
      doOtherAction(context, action, listener);
      return;
    }
    try {
      byte[] body = action.getBody().length == 0 ? new byte[] {'{', '}'} : action.getBody();
      listener.onNext(new Result(own.apply(body)));
      listener.onCompleted();
    } catch (FlightRuntimeException e) {
      listener.onError(e);
    } catch (IcewalException e) {
      listener.onError(Errors.toFlight(e));
    } catch (RuntimeException e) {
      LOG.error("action {} failed", action.getType(), e);
      listener.onError(
          Errors.toFlight(
              new IcewalException(
                  ErrorKind.INTERNAL, "action " + action.getType() + " failed: " + e, e)));
    }
  }

  private void doOtherAction(CallContext context, Action action, StreamListener<Result> listener) {
    if (action.getType().startsWith("icewal.")) {
      listener.onError(
          Errors.toFlight(
              new IcewalException(
                  ErrorKind.INVALID,
                  "unknown action '" + action.getType() + "'; known: " + actions.keySet())));
      return;
    }
    super.doAction(context, action, listener);
  }
}
