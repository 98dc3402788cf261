package io.icewal.sql;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.icewal.storage.StoreOp;
import java.util.Locale;
import java.util.Map;

/// What something took on icewal's table and on the stock one: medians.
///
/// @param requests that icewal's sent to the log's store, the last time; none where they are not
///   counted
public record BenchResult(
    String name, BenchCost icewal, BenchCost stock, Map<StoreOp, Integer> requests) {

  public double wallRatio() {
    return icewal.wallMillis() / stock.wallMillis();
  }

  public double cpuRatio() {
    return icewal.cpuMillis() / stock.cpuMillis();
  }

  String text() {
    return String.format(
        Locale.ROOT,
        "%-28s CPU ratio %.2f (%.0f ms, %.0f ms)  wall ratio %.2f (%.0f ms, %.0f ms)  %s",
        name,
        cpuRatio(),
        icewal.cpuMillis(),
        stock.cpuMillis(),
        wallRatio(),
        icewal.wallMillis(),
        stock.wallMillis(),
        requests.isEmpty() ? "" : "requests " + requests);
  }

  /// Adds this under its name.
  void writeTo(ObjectNode all) {
    ObjectNode one = all.putObject(name);
    one.put("wall_ms", Math.round(icewal.wallMillis()));
    one.put("cpu_ms", Math.round(icewal.cpuMillis()));
    one.put("stock_wall_ms", Math.round(stock.wallMillis()));
    one.put("stock_cpu_ms", Math.round(stock.cpuMillis()));
    if (!requests.isEmpty()) {
      ObjectNode counts = one.putObject("requests");
      requests.forEach((op, count) -> counts.put(op.name(), count));
    }
  }
}
