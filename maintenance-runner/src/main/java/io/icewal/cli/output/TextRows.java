package io.icewal.cli.output;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Prints a result whose values came as text. Not thread-safe.
public final class TextRows extends ResultBatches<RuntimeException> {
  /// How a value stands in JSON: as it is, in quotes, or as JSON of its own.
  public enum Kind {
    BARE,
    QUOTED,
    NESTED
  }

  /// A column.
  public record Column(String name, Kind kind) {}

  /// Where rows come from.
  ///
  /// Implementations: Spark's session, and those of tests.
  public interface Source {
    /// The next batch, a value a column; empty at the end.
    List<List<@Nullable String>> next() throws IOException;
  }

  private final Source source;
  private final List<Cell> cells;
  private List<List<@Nullable String>> batch = List.of();

  public TextRows(List<Column> columns, Source source) {
    this.source = source;
    this.cells =
        IntStream.range(0, columns.size())
            .<Cell>mapToObj(i -> new TextCell(columns.get(i), i))
            .toList();
  }

  @Override
  List<Cell> cells() {
    return cells;
  }

  @Override
  int nextBatch() throws IOException {
    batch = source.next();
    return batch.size();
  }

  private final class TextCell extends Cell {
    private final int column;
    private final Kind kind;

    TextCell(Column column, int index) {
      super(column.name());
      this.column = index;
      this.kind = column.kind();
    }

    @Override
    boolean isBare() {
      return kind == Kind.BARE;
    }

    @Override
    boolean isNull(int row) {
      return batch.get(row).get(column) == null;
    }

    @Override
    String text(int row) {
      return String.valueOf(batch.get(row).get(column));
    }

    @Override
    void jsonValue(JsonGenerator out, int row) throws IOException {
      switch (kind) {
        case BARE -> writeBare(out, text(row));
        case QUOTED -> out.writeString(text(row));
        case NESTED -> out.writeRawValue(text(row));
      }
    }
  }
}
