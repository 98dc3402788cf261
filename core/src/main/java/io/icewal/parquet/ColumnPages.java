package io.icewal.parquet;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.jspecify.annotations.Nullable;

/// The finished pages of one column chunk, held until the row group is written, since a row group
/// lays its chunks one after the other.
final class ColumnPages {
  /// A chunk whose first page keeps more of its size stays uncompressed: random doubles, hashes,
  /// media.
  static final double COMPRESSED_SHARE_MAX = 0.92;

  /// The same for searchable columns, whose small pages cost more to compress and are unpacked at
  /// every search: dense ids (0.18 of their size) are worth it, random ones (0.95) are not.
  static final double SEARCHABLE_SHARE_MAX = 0.6;

  private final PageCompressor compressor;
  private final double compressedShareMax;
  private final List<Page> pages = new ArrayList<>();
  private boolean compress;
  private long bytes;

  private record Page(
      byte[] bytes,
      int plainBytes,
      int values,
      int rows,
      boolean dictionary,
      @Nullable Statistics<?> statistics) {}

  /// @param compressedShareMax what the first page may keep of its size for the chunk to be
  ///   compressed
  ColumnPages(PageCompressor compressor, double compressedShareMax) {
    this.compressor = compressor;
    this.compressedShareMax = compressedShareMax;
  }

  void add(
      PageBuffer page,
      int values,
      int rows,
      boolean dictionary,
      @Nullable Statistics<?> statistics) {
    byte[] stored = store(page);
    pages.add(new Page(stored, page.size, values, rows, dictionary, statistics));
    bytes += stored.length;
  }

  private byte[] store(PageBuffer page) {
    if (pages.isEmpty()) {
      byte[] tried = compressor.compress(page.bytes, page.size);
      compress = tried.length < page.size * compressedShareMax;
      if (compress) {
        return tried;
      }
    }
    return compress
        ? compressor.compress(page.bytes, page.size)
        : Arrays.copyOf(page.bytes, page.size);
  }

  long bytes() {
    return bytes;
  }

  /// Writes the chunk and forgets it.
  void writeTo(
      ParquetFileWriter out,
      ColumnDescriptor column,
      @Nullable PageBuffer dictionary,
      int dictionarySize)
      throws IOException {
    long values = 0;
    for (Page page : pages) {
      values += page.values;
    }
    CompressionCodecName codec =
        compress ? CompressionCodecName.ZSTD : CompressionCodecName.UNCOMPRESSED;
    out.startColumn(column, values, codec);
    if (dictionary != null) {
      BytesInput stored =
          compress
              ? BytesInput.from(compressor.compress(dictionary.bytes, dictionary.size))
              : BytesInput.from(dictionary.bytes, 0, dictionary.size);
      out.writeDictionaryPage(
          new DictionaryPage(stored, dictionary.size, dictionarySize, Encoding.PLAIN));
    }
    for (Page page : pages) {
      writePage(out, page);
    }
    out.endColumn();
    pages.clear();
    bytes = 0;
    compress = false;
  }

  private static void writePage(ParquetFileWriter out, Page page) throws IOException {
    out.writeDataPage(
        page.values,
        page.plainBytes,
        BytesInput.from(page.bytes),
        page.statistics,
        page.rows,
        Encoding.RLE,
        Encoding.RLE,
        page.dictionary ? Encoding.RLE_DICTIONARY : Encoding.PLAIN);
  }
}
