package io.icewal.flight;

import io.grpc.Codec;
import io.grpc.DecompressorRegistry;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.icewal.config.ServerSettings;
import io.icewal.ingest.Ingestor;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.flight.FlightGrpcUtils;
import org.apache.arrow.flight.auth.ServerAuthHandler;
import org.apache.arrow.memory.BufferAllocator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The Flight server.
///
/// Lifecycle: [#start], then [#close], which drains: nothing new is accepted, what was accepted is
/// made durable and answered, then the threads end. Closing twice does nothing.
public final class IngestServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(IngestServer.class);

  /// What clients may send ahead of the server, a connection: gRPC's own choice grows to four times
  /// as much, for each of them.
  private static final int FLOW_CONTROL_BYTES = 2 << 20;

  /// How much a read may run ahead of its client.
  private static final int READ_AHEAD_BYTES = 4 << 20;

  /// A store that does not answer for so long will not do so before a supervisor loses patience.
  private static final Duration DRAIN_MAX = Duration.ofSeconds(40);

  /// Reads that are still running then are cut off.
  private static final Duration READS_GRACE = Duration.ofSeconds(2);

  private final Ingestor ingestor;
  private final PutService puts;
  private final LogThreads logThreads;
  private final InetSocketAddress address;
  private final Server server;
  private boolean started;
  private boolean closed;

  /// @param incoming the messages of put streams live in it, until their rows are admitted; shares
  ///   its root with the ingestor's
  IngestServer(
      ServerSettings settings,
      IncomingLimits limits,
      Ingestor ingestor,
      IngestProducer producer,
      LogThreads logThreads,
      BufferAllocator incoming,
      ExecutorService executor) {
    this.ingestor = ingestor;
    this.logThreads = logThreads;
    this.address = loopback(settings);
    this.puts = new PutService(ingestor, incoming, limits.kept());
    InboundLimit limit = new InboundLimit(limits.message(), limits.arriving(), executor);
    this.server =
        NettyServerBuilder.forAddress(address)
            .executor(executor)
            .flowControlWindow(FLOW_CONTROL_BYTES)
            .maxInboundMessageSize(Integer.MAX_VALUE)
            // Bytes are bounded as they arrive: a compressed message would unfold to any size.
            .decompressorRegistry(
                DecompressorRegistry.emptyInstance().with(Codec.Identity.NONE, false))
            .addStreamTracerFactory(limit)
            .addService(
                puts.over(
                    FlightGrpcUtils.createFlightService(
                            incoming, producer, ServerAuthHandler.NO_OP, executor)
                        .bindService()))
            .intercept(limit)
            .intercept(new ReadAhead(READ_AHEAD_BYTES))
            .build();
  }

  /// Whoever reaches the port may write: until there is authentication, that is this machine.
  private static InetSocketAddress loopback(ServerSettings settings) {
    try {
      InetAddress host = InetAddress.getByName(settings.host());
      if (!host.isLoopbackAddress()) {
        throw new IcewalException(
            ErrorKind.INVALID,
            "server.host is "
                + settings.host()
                + ": only a loopback address such as 127.0.0.1 is served, since there is no"
                + " authentication yet");
      }
      return new InetSocketAddress(host, settings.port());
    } catch (UnknownHostException e) {
      throw new IcewalException(
          ErrorKind.INVALID, "server.host is not a known host: " + settings.host(), e);
    }
  }

  /// Listens.
  ///
  /// @throws IcewalException UNAVAILABLE if the port is taken
  public synchronized void start() {
    try {
      server.start();
    } catch (IOException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new IcewalException(
          ErrorKind.UNAVAILABLE,
          "cannot listen on "
              + address
              + ": "
              + cause.getMessage()
              + "; if another process has the port, choose one with --port or server.port, 0 for any"
              + " free one",
          e);
    }
    started = true;
    logThreads.start();
    LOG.info("listening on {}", uri());
  }

  /// Where clients connect.
  public URI uri() {
    String host = address.getAddress().getHostAddress();
    return URI.create("grpc://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port());
  }

  public int port() {
    return server.getPort();
  }

  /// How many put calls run.
  public int runningPuts() {
    return puts.runningCalls();
  }

  /// Waits until the server has been closed.
  public void awaitTermination() throws InterruptedException {
    server.awaitTermination();
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (!started) {
      server.shutdownNow();
      puts.close();
      return;
    }
    server.shutdown();
    ingestor.drain();
    puts.drain();
    boolean interrupted = awaitDrained();
    interrupted |= awaitEnd();
    logThreads.close();
    puts.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /// @return whether the wait was interrupted, which ends it
  private boolean awaitDrained() {
    long end = System.nanoTime() + DRAIN_MAX.toNanos();
    try {
      while (puts.runningCalls() > 0 || !ingestor.isDrained()) {
        if (System.nanoTime() > end) {
          LOG.warn("the log did not take everything in time; senders get no answer for the rest");
          return false;
        }
        TimeUnit.MILLISECONDS.sleep(5);
      }
      return false;
    } catch (InterruptedException e) {
      return true;
    }
  }

  private boolean awaitEnd() {
    try {
      if (!server.awaitTermination(READS_GRACE.toMillis(), TimeUnit.MILLISECONDS)) {
        server.shutdownNow();
        if (!server.awaitTermination(READS_GRACE.toMillis(), TimeUnit.MILLISECONDS)) {
          LOG.warn("calls did not end; their memory is not given back");
        }
      }
      return false;
    } catch (InterruptedException e) {
      server.shutdownNow();
      return true;
    }
  }
}
