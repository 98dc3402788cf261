package io.icewal.sql;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.function.ToDoubleFunction;

/// What one thing took: wall time, and CPU time of the whole process.
public record BenchCost(double wallMillis, double cpuMillis) {
  public static BenchCost of(Runnable work) {
    long wall = System.nanoTime();
    long cpu = cpuNanos();
    work.run();
    return new BenchCost((System.nanoTime() - wall) / 1e6, (cpuNanos() - cpu) / 1e6);
  }

  private static long cpuNanos() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  public BenchCost plus(BenchCost more) {
    return new BenchCost(wallMillis + more.wallMillis, cpuMillis + more.cpuMillis);
  }

  public static BenchCost median(List<BenchCost> costs) {
    return new BenchCost(median(costs, BenchCost::wallMillis), median(costs, BenchCost::cpuMillis));
  }

  private static double median(List<BenchCost> costs, ToDoubleFunction<BenchCost> part) {
    return costs.stream()
        .mapToDouble(part)
        .sorted()
        .skip(costs.size() / 2)
        .findFirst()
        .orElseThrow();
  }
}
