package io.icewal.flight;

import io.icewal.model.ArrowSchemas;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.protocol.Errors;
import io.icewal.protocol.ReadRequest;
import io.icewal.read.FreshRows;
import io.icewal.read.FreshScan;
import io.icewal.read.Freshness;
import io.icewal.read.ScanRequest;
import io.icewal.read.ScanServices;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import org.apache.arrow.flight.BackpressureStrategy.CallbackBackpressureStrategy;
import org.apache.arrow.flight.BackpressureStrategy.WaitResult;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Fresh scans, streamed. Thread-safe.
///
/// A read runs on a thread of its own, not on gRPC's: on that, the news that the client takes more,
/// or has gone, would wait behind the read itself.
final class ReadStreams {
  private static final Logger LOG = LoggerFactory.getLogger(ReadStreams.class);

  /// Reads at a time; each holds a few batches and a slice of the tail.
  private static final int READS_MAX = 64;

  /// A client that takes nothing for so long has gone astray; it must not hold a read for ever.
  private static final Duration STALL_MAX = Duration.ofMinutes(10);

  private final ScanServices services;
  private final BufferAllocator allocator;
  private final Executor executor;
  private final Semaphore slots = new Semaphore(READS_MAX);

  ReadStreams(ScanServices services, BufferAllocator allocator, Executor executor) {
    this.services = services;
    this.allocator = allocator;
    this.executor = executor;
  }

  /// The schema that a read would have.
  Schema schema(ReadRequest request) {
    ScanRequest scan = scan(request).withFreshness(Freshness.NO_TAIL).withAtLeast(null);
    return ArrowSchemas.toArrow(FreshScan.plan(scan, services, allocator).projection());
  }

  /// Starts a read; it ends on the listener.
  void start(ReadRequest request, ServerStreamListener listener) {
    if (!slots.tryAcquire()) {
      throw Errors.toFlight(
          new IcewalException(ErrorKind.UNAVAILABLE, READS_MAX + " reads run; retry later"));
    }
    CallbackBackpressureStrategy ready = new CallbackBackpressureStrategy();
    ready.register(listener);
    boolean started = false;
    try {
      executor.execute(() -> run(request, listener, ready));
      started = true;
    } finally {
      if (!started) {
        slots.release();
      }
    }
  }

  private void run(
      ReadRequest request, ServerStreamListener listener, CallbackBackpressureStrategy ready) {
    try {
      stream(request, listener, ready);
    } catch (FlightRuntimeException e) {
      listener.error(e);
    } catch (IcewalException e) {
      listener.error(Errors.toFlight(e));
    } catch (RuntimeException | Error e) {
      // Nobody else would tell the client.
      LOG.error("read of {} failed", request, e);
      listener.error(
          Errors.toFlight(new IcewalException(ErrorKind.INTERNAL, "read failed: " + e, e)));
    } finally {
      slots.release();
    }
  }

  private void stream(
      ReadRequest request, ServerStreamListener listener, CallbackBackpressureStrategy ready) {
    FreshScan scan = FreshScan.plan(scan(request), services, allocator);
    try (FreshRows rows = scan.execute(allocator);
        VectorSchemaRoot out = VectorSchemaRoot.create(schema(scan, rows), allocator)) {
      listener.start(out);
      while (!listener.isCancelled() && rows.next()) {
        move(rows.root(), out);
        WaitResult waited = ready.waitForListener(STALL_MAX.toMillis());
        if (waited == WaitResult.CANCELLED) {
          return;
        }
        if (waited != WaitResult.READY) {
          throw CallStatus.TIMED_OUT
              .withDescription("client took nothing for " + STALL_MAX.toMinutes() + " minutes")
              .toRuntimeException();
        }
        listener.putNext();
        out.clear();
      }
      if (!listener.isCancelled()) {
        listener.completed();
      }
    }
  }

  /// The scan's schema, and what the scan saw as the schema's metadata.
  private static Schema schema(FreshScan scan, FreshRows rows) {
    Map<String, String> seen = new HashMap<>();
    seen.put("icewal.snapshot", Long.toString(scan.snapshotId()));
    scan.position().ifPresent(position -> seen.put("icewal.position", position.toString()));
    scan.end().ifPresent(end -> seen.put("icewal.end", end.toString()));
    return new Schema(rows.schema().getFields(), seen);
  }

  private static void move(VectorSchemaRoot from, VectorSchemaRoot to) {
    List<FieldVector> targets = to.getFieldVectors();
    for (int i = 0; i < targets.size(); i++) {
      from.getVector(i).makeTransferPair(targets.get(i)).transfer();
    }
    to.setRowCount(from.getRowCount());
  }

  private static ScanRequest scan(ReadRequest request) {
    Long limit = request.limit();
    return new ScanRequest(
        request.table(),
        request.columns(),
        request.where(),
        request.tail() ? Freshness.FRESH : Freshness.NO_TAIL,
        request.atLeast(),
        /* snapshotId= */ null,
        limit == null ? Long.MAX_VALUE : limit);
  }
}
