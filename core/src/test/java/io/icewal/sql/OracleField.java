package io.icewal.sql;

/// A column of the oracle's tables, or a field of a row.
public record OracleField(String name, OracleType type) {}
