package io.icewal.table;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyVector;
import io.icewal.model.Verdict;
import io.icewal.parquet.KeyPageCache;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.apache.iceberg.Table;

/// Says which keys more than one row has, and where the rows are.
final class DuplicateSearch {
  /// Rows named for each key.
  private static final int PLACES_MAX = 3;

  private final Table table;
  private final KeyColumns key;
  private final LiveFiles files;

  DuplicateSearch(Table table, KeyColumns key, LiveFiles files) {
    this.table = table;
    this.key = key;
    this.files = files;
  }

  /// One verdict, or none if each key is in one row.
  List<Verdict> verdicts(KeyDuplicates found) {
    if (found.keys() == 0) {
      return List.of();
    }
    List<List<String>> places = places(found.examples());
    List<String> examples = new ArrayList<>();
    for (int i = 0; i < found.counts().length; i++) {
      examples.add(
          key.text(found.examples().bytes(i))
              + " in "
              + found.counts()[i]
              + " rows ("
              + String.join(", ", places.get(i))
              + (found.counts()[i] > places.get(i).size() ? ", …" : "")
              + ")");
    }
    String message =
        found.keys()
            + " keys are in more than one row, "
            + found.surplus()
            + " rows too many, and a key names one row; delete the copies that are wrong: "
            + String.join("; ", examples)
            + (found.keys() > examples.size() ? "; …" : "");
    return List.of(
        new Verdict(-1, "", "key-duplicate", key.text(found.examples().bytes(0)), message));
  }

  private List<List<String>> places(KeyVector keys) {
    PartitionKeys anywhere = new PartitionKeys(table.specs(), key, null);
    OldRows rows =
        new KeyLookup(table, key, keys, new BitSet(), anywhere, new KeyPageCache())
            .find(files.files());
    List<List<String>> places = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      places.add(new ArrayList<>());
    }
    for (OldRows.InFile inFile : rows.withRows()) {
      for (int i = 0; i < inFile.rows().length; i++) {
        List<String> ofKey = places.get(inFile.keys()[i]);
        if (ofKey.size() < PLACES_MAX) {
          ofKey.add("row " + inFile.rows()[i] + " of " + inFile.file().location());
        }
      }
    }
    return places;
  }
}
