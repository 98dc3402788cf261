package io.icewal.flight;

import io.icewal.ingest.Ingestor;
import io.icewal.storage.LocalObjectStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/// A server over a folder as a process of its own, whose store can be blocked. Takes a command a
/// line: `close` and `open` the gate; `memory N` prints `memory N: PENDING PEAK`, the bytes that
/// are admitted now, and the most that Arrow's buffers ever had. Ends with its input.
final class GatedServer {
  private GatedServer() {}

  public static void main(String[] args) throws IOException {
    Path folder = Path.of(args[0]);
    Map<String, String> settings = new HashMap<>();
    for (int i = 1; i < args.length; i += 2) {
      settings.put(args[i], args[i + 1]);
    }
    GatedStore store = new GatedStore(LocalObjectStore.open(folder.resolve("log")));
    try (ServerFixture fixture = ServerFixture.on(folder, store, settings);
        BufferedReader commands =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      System.out.println("listening " + fixture.server.uri());
      for (String line = commands.readLine(); line != null; line = commands.readLine()) {
        if (line.equals("close")) {
          store.closeGate();
        } else if (line.equals("open")) {
          store.openGate();
        } else {
          long pending = fixture.injector.getInstance(Ingestor.class).pendingBytes();
          long peak = fixture.serverMemory().getPeakMemoryAllocation();
          System.out.println(line + ": " + pending + " " + peak);
        }
      }
    }
  }
}
