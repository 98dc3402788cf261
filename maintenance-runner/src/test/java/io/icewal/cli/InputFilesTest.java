package io.icewal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

class InputFilesTest {
  /// A pipe: it gives a few bytes at a time, and has none ready before it is read.
  private static InputStream pipe(byte[] bytes, int most) {
    return new FilterInputStream(new ByteArrayInputStream(bytes)) {
      @Override
      public int available() {
        return 0;
      }

      @Override
      public int read(byte[] to, int offset, int length) throws IOException {
        return super.read(to, offset, Math.min(length, most));
      }
    };
  }

  private static byte[] zipped(String text) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream zip = new GZIPOutputStream(out)) {
      zip.write(text.getBytes(StandardCharsets.UTF_8));
    }
    return out.toByteArray();
  }

  @Test
  void everyMemberOfAGzipFromASlowPipeIsRead() throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.write(zipped("one\n"));
    all.write(zipped("two\n".repeat(10_000)));
    all.write(zipped(""));
    all.write(zipped("three\n"));
    for (int most : new int[] {1, all.size() / 2, zipped("one\n").length, 1 << 20}) {
      try (InputStream in = InputFiles.unpacked(pipe(all.toByteArray(), most))) {
        assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8))
            .isEqualTo("one\n" + "two\n".repeat(10_000) + "three\n");
      }
    }
  }

  @Test
  void plainTextPassesAsItIs() throws IOException {
    for (String text : new String[] {"", "{", "{}\n"}) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      try (InputStream in = InputFiles.unpacked(pipe(bytes, 1))) {
        assertThat(in.readAllBytes()).isEqualTo(bytes);
      }
    }
  }
}
