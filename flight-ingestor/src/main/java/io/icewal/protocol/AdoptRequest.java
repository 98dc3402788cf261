package io.icewal.protocol;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;

/// A table of another engine that is to be icewal's: the body of action `icewal.adopt_table`.
///
/// @param table its name
/// @param key names of the primary key's columns; null: its identifier fields
/// @param requiresKey whether optional key columns may be made required
/// @param dryRun whether to tell what would be done, and do nothing
public record AdoptRequest(
    TableIdentifier table, @Nullable List<String> key, boolean requiresKey, boolean dryRun) {
  public AdoptRequest {
    key = key == null ? null : List.copyOf(key);
  }

  /// With its identifier fields as key.
  public static AdoptRequest of(TableIdentifier table) {
    return new AdoptRequest(table, null, false, false);
  }

  public static AdoptRequest parse(byte[] body) {
    JsonMembers members = Json.read("adopt_table", body);
    AdoptRequest request =
        new AdoptRequest(
            members.table(),
            members.texts("key"),
            members.flag("require_key", false),
            members.flag("dry_run", false));
    members.end();
    return request;
  }

  public byte[] toJson() {
    ObjectNode object = Json.object();
    object.set("table", Json.table(table));
    if (key != null) {
      key.forEach(object.putArray("key")::add);
    }
    object.put("require_key", requiresKey);
    object.put("dry_run", dryRun);
    return Json.write(object);
  }
}
