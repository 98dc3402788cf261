package io.icewal.parquet;

import com.github.luben.zstd.ZstdDecompressCtx;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.SeekableInputStream;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.page.DataPage;
import org.apache.parquet.column.page.DataPageV1;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.page.PageReader;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.Util;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.jspecify.annotations.Nullable;

/// Reads chosen pages of chosen columns, near ones by one request.
final class PageFetcher implements AutoCloseable {
  /// Bytes between two pages that are read along rather than by another request: an object store
  /// takes as long to begin an answer as to send about this much, or more.
  private static final int GAP_BYTES_MAX = 128 << 10;

  /// Bytes of one request at most.
  private static final int RANGE_BYTES_MAX = 8 << 20;

  private final InputFile file;
  private final ZstdDecompressCtx zstd = new ZstdDecompressCtx();
  private @Nullable SeekableInputStream stream;

  PageFetcher(InputFile file) {
    this.file = file;
  }

  private record Wanted(KeyFileIndex.Column column, int page) {
    long offset() {
      return column.offsets()[page];
    }

    int size() {
      return column.sizes()[page];
    }
  }

  /// For each column the given pages, in order.
  List<PageReader> fetch(List<KeyFileIndex.Column> columns, int[] pages) throws IOException {
    List<Wanted> wanted = new ArrayList<>();
    for (KeyFileIndex.Column column : columns) {
      for (int page : pages) {
        wanted.add(new Wanted(column, page));
      }
    }
    wanted.sort(Comparator.comparingLong(Wanted::offset));
    Map<Wanted, DataPage> read = new HashMap<>();
    int from = 0;
    while (from < wanted.size()) {
      int to = from + 1;
      while (to < wanted.size() && isNear(wanted.get(from), wanted.get(to - 1), wanted.get(to))) {
        to++;
      }
      readRange(wanted.subList(from, to), read);
      from = to;
    }
    List<PageReader> readers = new ArrayList<>();
    for (KeyFileIndex.Column column : columns) {
      List<DataPage> ofColumn = new ArrayList<>();
      for (int page : pages) {
        ofColumn.add(Objects.requireNonNull(read.get(new Wanted(column, page))));
      }
      readers.add(new Pages(ofColumn));
    }
    return readers;
  }

  private static boolean isNear(Wanted first, Wanted last, Wanted next) {
    long end = next.offset() + next.size();
    return next.offset() - (last.offset() + last.size()) <= GAP_BYTES_MAX
        && end - first.offset() <= RANGE_BYTES_MAX;
  }

  private void readRange(List<Wanted> wanted, Map<Wanted, DataPage> read) throws IOException {
    long start = wanted.get(0).offset();
    Wanted last = wanted.get(wanted.size() - 1);
    byte[] bytes = new byte[Math.toIntExact(last.offset() + last.size() - start)];
    SeekableInputStream in = stream;
    if (in == null) {
      in = file.newStream();
      stream = in;
    }
    TailInputFile.readFully(in, start, bytes);
    for (Wanted page : wanted) {
      read.put(page, parse(page, bytes, (int) (page.offset() - start)));
    }
  }

  private DataPage parse(Wanted wanted, byte[] bytes, int offset) throws IOException {
    ByteArrayInputStream in = new ByteArrayInputStream(bytes, offset, wanted.size());
    PageHeader header = Util.readPageHeader(in);
    DataPageHeader data = header.getData_page_header();
    int start = offset + wanted.size() - in.available();
    int length = header.getCompressed_page_size();
    if (data == null || length > in.available()) {
      throw new IllegalStateException("no data page at byte " + wanted.offset());
    }
    BytesInput content = BytesInput.from(bytes, start, length);
    if (wanted.column.codec() == CompressionCodecName.ZSTD) {
      byte[] plain = new byte[header.getUncompressed_page_size()];
      zstd.decompressByteArray(plain, 0, plain.length, bytes, start, length);
      content = BytesInput.from(plain);
    }
    return new DataPageV1(
        content,
        data.getNum_values(),
        header.getUncompressed_page_size(),
        Statistics.getBuilderForReading(wanted.column.descriptor().getPrimitiveType()).build(),
        encoding(data.getRepetition_level_encoding()),
        encoding(data.getDefinition_level_encoding()),
        encoding(data.getEncoding()));
  }

  private static Encoding encoding(org.apache.parquet.format.@Nullable Encoding stored) {
    if (stored == null) {
      throw new IllegalStateException("page header without encoding");
    }
    return Encoding.valueOf(stored.name());
  }

  /// Pages held in memory.
  private static final class Pages implements PageReader {
    private final List<DataPage> pages;
    private int next;

    Pages(List<DataPage> pages) {
      this.pages = pages;
    }

    @Override
    public @Nullable DictionaryPage readDictionaryPage() {
      return null;
    }

    @Override
    public long getTotalValueCount() {
      return pages.stream().mapToLong(DataPage::getValueCount).sum();
    }

    @Override
    public @Nullable DataPage readPage() {
      return next < pages.size() ? pages.get(next++) : null;
    }
  }

  @Override
  public void close() throws IOException {
    zstd.close();
    if (stream != null) {
      stream.close();
    }
  }
}
