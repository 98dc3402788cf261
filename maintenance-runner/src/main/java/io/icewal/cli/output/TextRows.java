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
    this.cells = IntStream.range(0, columns.size()).mapToObj(i -> cell(columns.get(i), i)).toList();
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

  private @Nullable String value(int row, int column) {
    return batch.get(row).get(column);
  }

  private Cell cell(Column column, int index) {
    return switch (column.kind()) {
      case BARE ->
          new Cell.Bare(column.name()) {
            @Override
            boolean isNull(int row) {
              return value(row, index) == null;
            }

            @Override
            String text(int row) {
              return String.valueOf(value(row, index));
            }
          };
      case QUOTED ->
          new Cell.Quoted(column.name()) {
            @Override
            boolean isNull(int row) {
              return value(row, index) == null;
            }

            @Override
            String text(int row) {
              return String.valueOf(value(row, index));
            }
          };
      case NESTED ->
          new Cell.Nested(column.name()) {
            @Override
            boolean isNull(int row) {
              return value(row, index) == null;
            }

            @Override
            void jsonValue(JsonGenerator out, int row) throws IOException {
              out.writeRawValue(value(row, index));
            }
          };
    };
  }
}
