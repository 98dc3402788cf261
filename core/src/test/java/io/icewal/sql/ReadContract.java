package io.icewal.sql;

import io.icewal.TestTables;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.Record;

/// Tables with rows in files and in the log.
abstract class ReadContract {
  /// A number as the key, and a text.
  public static final Schema KEYED = TestTables.KEYED;

  final SqlEngine engine;
  final TestTables tables;

  ReadContract(SqlEngine engine) {
    this.engine = engine;
    this.tables = engine.tables();
  }

  /// 1 to 10 in a file, then in the log: 1 to 3 updated, 4 and 5 deleted, 11 to 14 new.
  protected final void change(String table) {
    tables.create(table, KEYED);
    base(table, 10);
    for (long id : new long[] {1, 2, 3, 11, 12, 13, 14}) {
      tables.upsert(table, tables.row(table, id, "b" + id));
    }
    tables.delete(table, tables.row(table, 4L), tables.row(table, 5L));
  }

  protected final void base(String table, int rows) {
    List<Record> base = new ArrayList<>();
    for (long id = 1; id <= rows; id++) {
      base.add(tables.row(table, id, "a" + id));
    }
    tables.upsert(table, base);
    tables.materialize(table);
  }
}
