package io.icewal.sql;

import io.icewal.storage.CountingObjectStore;
import java.nio.file.Path;

/// An engine that is measured, and its words for what a measurement needs.
public interface BenchEngine {
  SqlEngine sql();

  /// The warehouse.
  Path folder();

  /// Of the log, as the engine uses it.
  CountingObjectStore logStore();

  /// The statement that makes a table of [BenchTables#FRESH]'s columns, with key `id`.
  String create(String table);

  /// A query of rows of such a table with the keys `from`, `from + step` and so on, anew at random
  /// in one column.
  String select(long from, long rows, long step);

  /// The statement that materializes all of a table.
  String materialize(String table);

  /// Adds two catalogs on the same warehouse that have read nothing yet: one of icewal with this
  /// name, and a stock one with `_stock` behind.
  void addCatalogs(String name);

  /// Takes them away again.
  void dropCatalogs(String name);
}
