package io.icewal.sql;

import java.util.Random;

/// A column of an [OracleTable].
///
/// @param key whether it is part of the primary key
/// @param fixed whether the table's partitioning names it: it cannot be dropped
/// @param ofOldRows what rows have that are older than the column, and new ones that do not name it
record OracleColumn(String name, OracleType type, boolean key, boolean fixed, Object ofOldRows) {
  OracleColumn(String name, OracleType type, boolean key, boolean fixed) {
    this(name, type, key, fixed, null);
  }

  /// Whether the oracle puts no null here. In Iceberg 1.11 an IN over a string that partitions
  /// fails where a partition of null is (`CharSequenceSet` takes none), in any engine.
  boolean required() {
    return key || (fixed && type.base() == OracleType.Base.VARCHAR);
  }

  Object value(Random random) {
    return required() ? type.value(random) : type.valueOrNull(random);
  }

  OracleColumn renamed(String newName) {
    return new OracleColumn(newName, type, key, fixed, ofOldRows);
  }

  OracleColumn withType(OracleType newType) {
    return new OracleColumn(name, newType, key, fixed, OracleType.widen(ofOldRows));
  }
}
