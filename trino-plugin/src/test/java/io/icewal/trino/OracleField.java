package io.icewal.trino;

/// A column of the oracle's tables, or a field of a row.
record OracleField(String name, OracleType type) {}
