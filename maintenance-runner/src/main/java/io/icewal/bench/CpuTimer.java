package io.icewal.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/// Adds up CPU time of the whole process, garbage collection and compilation included, over the
/// sections between [#start] and [#stop]. Not thread-safe.
final class CpuTimer {
  private final OperatingSystemMXBean system =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private long cpuStart;
  private long wallStart;
  private long cpuNanos;
  private long wallNanos;

  void start() {
    cpuStart = system.getProcessCpuTime();
    wallStart = System.nanoTime();
  }

  void stop() {
    cpuNanos += system.getProcessCpuTime() - cpuStart;
    wallNanos += System.nanoTime() - wallStart;
  }

  double cpuSeconds() {
    return cpuNanos / 1e9;
  }

  double wallSeconds() {
    return wallNanos / 1e9;
  }

  long perCpuSecond(long rows) {
    return Math.round(rows / Math.max(1e-9, cpuSeconds()));
  }
}
