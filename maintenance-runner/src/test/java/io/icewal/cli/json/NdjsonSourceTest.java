package io.icewal.cli.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class NdjsonSourceTest {
  private static List<String> lines(String text, int bytesARead) throws IOException {
    InputStream bytes =
        new FilterInputStream(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8))) {
          @Override
          public int read(byte[] to, int offset, int length) throws IOException {
            return super.read(to, offset, Math.min(length, bytesARead));
          }
        };
    List<String> lines = new ArrayList<>();
    try (NdjsonSource source = new NdjsonSource(bytes, 2)) {
      for (LineBatch batch = source.next(); batch != null; batch = source.next()) {
        for (int i = 0; i < batch.count(); i++) {
          lines.add(batch.number(i) + " " + batch.text(i));
        }
      }
    }
    return lines;
  }

  @Test
  void aByteOrderMarkIsPassedOverHoweverItArrives() throws IOException {
    for (int bytesARead = 1; bytesARead < 9; bytesARead++) {
      assertThat(lines("\uFEFF{1}\r\n\n{2}\n{3}", bytesARead))
          .containsExactly("1 {1}", "3 {2}", "4 {3}");
      assertThat(lines("\uFEFF", bytesARead)).isEmpty();
      assertThat(lines("{}", bytesARead)).containsExactly("1 {}");
    }
  }

  // The mark's bytes are a character like any other elsewhere, also where a read begins with them.
  @Test
  void theSameBytesWithinTheFirstLineStay() throws IOException {
    for (int bytesARead = 1; bytesARead < 9; bytesARead++) {
      assertThat(lines("abc\uFEFFdef\uFEFF\n", bytesARead)).containsExactly("1 abc\uFEFFdef\uFEFF");
    }
  }
}
