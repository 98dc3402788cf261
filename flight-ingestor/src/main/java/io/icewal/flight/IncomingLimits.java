package io.icewal.flight;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.icewal.ingest.IngestLimits;
import java.lang.management.ManagementFactory;

/// Bounds of what is on its way in, in bytes. They follow from the rows that may wait for the log
/// and the largest batch, and from the direct memory that the JVM has: messages lie in it twice, as
/// they arrive and once taken apart, beside the rows that wait. A small server takes smaller
/// messages rather than run out of memory.
///
/// @param message of a put stream
/// @param arriving all messages that have not arrived whole, in gRPC's buffers
/// @param taken all messages that have been taken apart, in Arrow's buffers
/// @param kept memory of such messages that is kept for the next ones
record IncomingLimits(int message, long arriving, long taken, long kept) {
  /// gRPC's messages above the largest batch: its header, metadata, and alignment.
  private static final int MESSAGE_SLACK_BYTES = 8 << 20;

  /// Messages that are taken apart and whose rows do not wait yet, as a multiple of the largest.
  private static final int TAKEN_MESSAGES = 4;

  /// Netty keeps a received message in slices of larger buffers: about twice its bytes.
  private static final int ARRIVING_PART = 6;

  /// Where `server.memory-max` is small beside the JVM's memory, this is no bound.
  private static final double TAKEN_PART = 3.0 / 8;

  private static final int KEPT_PART = 16;

  /// @param directBytesMax the JVM's bound of direct memory
  static IncomingLimits of(IngestLimits limits, long directBytesMax) {
    long arriving = directBytesMax / ARRIVING_PART;
    int message =
        Math.toIntExact(
            Math.min(
                Math.min(limits.batchBytesMax() + MESSAGE_SLACK_BYTES, arriving),
                Integer.MAX_VALUE));
    long taken = limits.pendingBytesMax() + (long) TAKEN_MESSAGES * message;
    return new IncomingLimits(
        message,
        Math.min(arriving, taken),
        Math.min((long) (TAKEN_PART * directBytesMax), taken),
        Math.min(directBytesMax / KEPT_PART, taken));
  }

  /// The direct memory that this JVM may have: `-XX:MaxDirectMemorySize`, or as much as the heap.
  static long directBytesMax() {
    HotSpotDiagnosticMXBean options =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    long set = Long.parseLong(options.getVMOption("MaxDirectMemorySize").getValue());
    return set == 0 ? Runtime.getRuntime().maxMemory() : set;
  }
}
