package io.icewal.ingest;

import org.apache.iceberg.types.Type;

/// A place in the table's schema that values are converted for, as its verdicts name it.
///
/// @param path the column's dotted path as the sender named it
/// @param type the table's type there
/// @param presence whether a null is allowed
/// @param key whether it is, or holds, a part of the key
record Site(String path, Type type, Presence presence, boolean key) {
  /// Whether a null is allowed, and if not, who says so.
  enum Presence {
    OPTIONAL,
    /// By the table.
    REQUIRED,
    /// The sender's own schema flags the field non-null, the table would allow it.
    DECLARED
  }
}
