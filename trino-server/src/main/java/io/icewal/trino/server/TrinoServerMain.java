package io.icewal.trino.server;

import io.trino.server.Server;
import java.io.IOException;
import java.io.OutputStream;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/// Starts Trino, and ends it with standard input.
///
/// `icewal trino` holds the other end of it: a server is never left behind, however the command
/// ends. A `Ctrl-C` reaches every process of the terminal; the command answers it for both.
public final class TrinoServerMain {
  private TrinoServerMain() {}

  public static void main(String[] args) {
    Signal.handle(new Signal("INT"), SignalHandler.SIG_IGN);
    Thread watch = new Thread(TrinoServerMain::endWithInput, "end-with-input");
    watch.setDaemon(true);
    watch.start();
    new Server().start(Server.class.getPackage().getImplementationVersion());
  }

  private static void endWithInput() {
    int code = 0;
    try {
      System.in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      System.err.println("standard input broke: " + e);
      code = 1;
    }
    System.exit(code); // Trino stops in its shutdown hooks.
  }
}
