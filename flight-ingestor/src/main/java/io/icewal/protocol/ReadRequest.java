package io.icewal.protocol;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.icewal.model.Position;
import java.util.List;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;

/// What a fresh read is to return: its ticket, and the command descriptor of its flight info.
///
/// @param table the table
/// @param columns names of the columns wanted, in this order; null: all
/// @param where a SQL condition on rows, or null
/// @param limit at most so many rows, or null
/// @param atLeast the read must see everything up to this position, or null
/// @param tail whether rows that are not yet in an Iceberg snapshot are read
public record ReadRequest(
    TableIdentifier table,
    @Nullable List<String> columns,
    @Nullable String where,
    @Nullable Long limit,
    @Nullable Position atLeast,
    boolean tail) {
  private static final String WHAT = "read request";

  public ReadRequest {
    columns = columns == null ? null : List.copyOf(columns);
  }

  /// All columns and rows, tail included.
  public static ReadRequest of(TableIdentifier table) {
    return new ReadRequest(table, null, null, null, null, true);
  }

  public ReadRequest withColumns(List<String> newColumns) {
    return new ReadRequest(table, newColumns, where, limit, atLeast, tail);
  }

  public ReadRequest withWhere(String newWhere) {
    return new ReadRequest(table, columns, newWhere, limit, atLeast, tail);
  }

  public ReadRequest withLimit(long newLimit) {
    return new ReadRequest(table, columns, where, newLimit, atLeast, tail);
  }

  public ReadRequest withAtLeast(Position newAtLeast) {
    return new ReadRequest(table, columns, where, limit, newAtLeast, tail);
  }

  /// The same, of the newest Iceberg snapshot alone.
  public ReadRequest withoutTail() {
    return new ReadRequest(table, columns, where, limit, atLeast, false);
  }

  /// Reads a path descriptor.
  public static ReadRequest ofPath(List<String> path) {
    return of(Json.table(path));
  }

  /// Reads a ticket or a command descriptor.
  public static ReadRequest parse(byte[] text) {
    JsonMembers members = Json.read(WHAT, text);
    String atLeast = members.text("at_least");
    ReadRequest request =
        new ReadRequest(
            members.table(),
            members.texts("columns"),
            members.text("where"),
            members.count("limit"),
            atLeast == null ? null : Position.parse(atLeast),
            members.flag("tail", true));
    members.end();
    return request;
  }

  public byte[] toJson() {
    ObjectNode object = Json.object();
    object.set("table", Json.table(table));
    if (columns != null) {
      columns.forEach(object.putArray("columns")::add);
    }
    if (where != null) {
      object.put("where", where);
    }
    if (limit != null) {
      object.put("limit", limit);
    }
    if (atLeast != null) {
      object.put("at_least", atLeast.toString());
    }
    object.put("tail", tail);
    return Json.write(object);
  }
}
