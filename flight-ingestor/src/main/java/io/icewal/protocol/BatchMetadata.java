package io.icewal.protocol;

import org.jspecify.annotations.Nullable;

/// The `app_metadata` that a sender may attach to a batch.
///
/// @param sequence the batch's number, or null
public record BatchMetadata(@Nullable Long sequence) {
  /// Reads the metadata; none at all is right too.
  public static BatchMetadata parse(byte[] metadata) {
    if (metadata.length == 0) {
      return new BatchMetadata(null);
    }
    JsonMembers members = Json.read("batch metadata", metadata);
    BatchMetadata parsed = new BatchMetadata(members.count("sequence"));
    members.end();
    return parsed;
  }

  public byte[] toJson() {
    return Json.write(Json.object().put("sequence", sequence));
  }
}
