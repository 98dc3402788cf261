package io.icewal.cli.schema;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.icewal.cli.json.JsonRows;
import io.icewal.cli.json.LineBatch;
import io.icewal.cli.json.NdjsonSource;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.apache.iceberg.types.Types.NestedField;

/// Guesses columns from the first rows of an NDJSON file: booleans, bigint, double, string, dates
/// and timestamps where every string of the column is one, structs and lists of these.
///
/// All guessed columns may be null: that a sample has no null says nothing about the next row. A
/// column that is null in every row is a string. Two kinds in one column is an error: the caller
/// must say what it is.
public final class ColumnGuess {
  /// Enough to see rare columns, and read within a second.
  static final int ROWS_MAX = 100_000;

  private static final JsonFactory JSON = new JsonFactory();

  private ColumnGuess() {}

  /// @param name for messages
  /// @throws IcewalException INVALID naming line and column
  public static List<NestedField> columns(InputStream in, String name) throws IOException {
    Shape row = new Shape("");
    long rows = 0;
    try (NdjsonSource source = new NdjsonSource(in, 1000)) {
      for (LineBatch batch = source.next();
          batch != null && rows < ROWS_MAX;
          batch = source.next()) {
        for (int line = 0; line < batch.count(); line++) {
          readRow(row, batch.text(line), name + ", line " + batch.number(line));
        }
        rows += batch.count();
      }
    }
    if (rows == 0) {
      throw new IcewalException(ErrorKind.INVALID, name + " has no rows to guess columns from");
    }
    return row.structType(new int[] {1}).fields();
  }

  private static void readRow(Shape row, String text, String where) throws IOException {
    try (JsonParser in = JSON.createParser(text)) {
      if (in.nextToken() != JsonToken.START_OBJECT) {
        throw new IcewalException(
            ErrorKind.INVALID, where + ": expected a JSON object, found " + in.currentToken());
      }
      row.read(in, where);
    } catch (JsonProcessingException e) {
      throw new IcewalException(ErrorKind.INVALID, where + ": not JSON: " + JsonRows.reason(e), e);
    }
  }
}
