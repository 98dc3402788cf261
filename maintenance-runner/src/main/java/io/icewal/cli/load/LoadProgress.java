package io.icewal.cli.load;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.Locale;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/// Shows how far a load is: bytes of the files read, rows, and rows a second. Shows nothing unless
/// a person watches. Not thread-safe.
public final class LoadProgress implements AutoCloseable {
  private static final int WIDTH = 100;
  private static final long MEBIBYTE = 1 << 20;

  private final @Nullable ProgressBar bar;
  private final long startNanos = System.nanoTime();
  private long bytes;
  private boolean closed;

  /// @param bytesMax size of all files, or -1 if not known
  public LoadProgress(PrintStream out, boolean shown, String task, long bytesMax) {
    bar =
        !shown
            ? null
            : new ProgressBarBuilder()
                .setTaskName(task)
                .setInitialMax(bytesMax)
                .setUnit(" MiB", MEBIBYTE)
                .setStyle(ProgressBarStyle.ASCII)
                .setUpdateIntervalMillis(200)
                .setConsumer(new ConsoleProgressBarConsumer(out, WIDTH))
                .build();
  }

  /// The same bytes, counted.
  public InputStream counted(InputStream in) {
    return new FilterInputStream(in) {
      @Override
      public int read() throws IOException {
        int b = super.read();
        bytes += b < 0 ? 0 : 1;
        return b;
      }

      @Override
      public int read(byte[] to, int offset, int length) throws IOException {
        int count = super.read(to, offset, length);
        bytes += Math.max(0, count);
        return count;
      }
    };
  }

  public void show(long rows) {
    if (bar != null) {
      double seconds = Math.max(1e-3, (System.nanoTime() - startNanos) / 1e9);
      bar.stepTo(bytes);
      bar.setExtraMessage(
          String.format(Locale.ROOT, "%,d rows, %,d rows/s", rows, (long) (rows / seconds)));
    }
  }

  /// Leaves the bar as it is. Closing twice does nothing more.
  @Override
  public void close() {
    if (bar != null && !closed) {
      closed = true;
      bar.close();
    }
  }
}
