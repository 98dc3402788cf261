package io.icewal.demo;

import java.io.PrintStream;

/// Prints what the demo tells and shows. Not thread-safe.
final class Narrator {
  private static final int WIDTH = 96;

  private final PrintStream out;
  private int step;

  Narrator(PrintStream out) {
    this.out = out;
  }

  void step(String title) {
    step++;
    out.println();
    out.println(
        "== " + step + ". " + title + " " + "=".repeat(Math.max(3, WIDTH - title.length() - 7)));
  }

  /// A paragraph, wrapped.
  void tell(String text) {
    StringBuilder line = new StringBuilder();
    for (String word : text.split("\\s+")) {
      if (line.length() + word.length() + 1 > WIDTH) {
        out.println(line);
        line.setLength(0);
      }
      line.append(line.length() == 0 ? "" : " ").append(word);
    }
    out.println(line);
  }

  void line(String text) {
    out.println(text);
  }

  void command(String text) {
    out.println();
    out.println("$ ./icewal " + text);
  }
}
