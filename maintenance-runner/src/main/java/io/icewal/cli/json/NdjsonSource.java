package io.icewal.cli.json;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Cuts a stream of newline-delimited JSON into batches of lines.
///
/// The cut depends on the bytes alone: a batch ends after `rowsMax` rows, or after the row that
/// brings it to [#BATCH_BYTES_MAX]. So the same file read twice gives the same batches under the
/// same sequence numbers, and a line that is corrected in place leaves all other batches as they
/// were. Not thread-safe; closes the stream.
public final class NdjsonSource implements AutoCloseable {
  /// Rows of 3 KiB fill it at the default of 10,000 rows; three batches on their way are ~100 MB.
  static final int BATCH_BYTES_MAX = 32 << 20;

  /// A line longer than this is no row of any table that icewal serves well.
  static final int LINE_BYTES_MAX = 256 << 20;

  private static final int SIZE_HINT_MIN = 1 << 16;
  private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

  private final InputStream in;
  private final int rowsMax;
  private LineBatch batch = new LineBatch(0, SIZE_HINT_MIN);
  private final byte[] buffer = new byte[1 << 18];
  private int at;
  private int end;
  private long line;
  private long sequence;
  private boolean begun;
  private boolean finished;

  public NdjsonSource(InputStream in, int rowsMax) {
    this.in = in;
    this.rowsMax = rowsMax;
  }

  /// The next batch, or null after the last one.
  public @Nullable LineBatch next() throws IOException {
    int sizeHint = batch.used() + batch.used() / 8;
    batch = new LineBatch(sequence, Math.max(SIZE_HINT_MIN, sizeHint));
    while (!finished && batch.count() < rowsMax && batch.used() < BATCH_BYTES_MAX) {
      readLine();
    }
    if (batch.count() == 0) {
      return null;
    }
    sequence++;
    return batch;
  }

  private void readLine() throws IOException {
    int start = batch.used();
    while (true) {
      if (at == end && !fill()) {
        finished = true;
        break;
      }
      int newline = indexOfNewline();
      int stop = newline < 0 ? end : newline;
      batch.append(buffer, at, stop - at);
      at = newline < 0 ? end : newline + 1;
      if (newline >= 0) {
        break;
      }
      if (batch.used() - start > LINE_BYTES_MAX) {
        throw new IOException(
            "line " + (line + 1) + " is longer than " + LINE_BYTES_MAX + " bytes; is this NDJSON?");
      }
    }
    line++;
    batch.endLine(start, line);
  }

  private int indexOfNewline() {
    for (int i = at; i < end; i++) {
      if (buffer[i] == '\n') {
        return i;
      }
    }
    return -1;
  }

  private boolean fill() throws IOException {
    at = 0;
    if (!begun) {
      begun = true;
      end = in.readNBytes(buffer, 0, BYTE_ORDER_MARK.length);
      if (Arrays.equals(buffer, 0, end, BYTE_ORDER_MARK, 0, BYTE_ORDER_MARK.length)) {
        return fill();
      }
    } else {
      end = Math.max(0, in.read(buffer));
    }
    return end > 0;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
