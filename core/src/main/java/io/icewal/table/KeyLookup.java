package io.icewal.table;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyVector;
import io.icewal.parquet.FileKeys;
import io.icewal.parquet.KeyPageCache;
import io.icewal.parquet.ReadContext;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.mapping.NameMapping;
import org.apache.iceberg.mapping.NameMappingParser;
import org.jspecify.annotations.Nullable;

/// Finds the live rows of sorted keys, exactly, at a cost that follows the keys and the files that
/// can hold them.
///
/// 1. A file is a candidate if its key range, and its partition where that follows from the key,
///    can hold one of the keys.
/// 2. The candidate keys are merged with the file's sorted keys.
/// 3. Rows that the file's deletes already cover are left out.
/// 4. `_row_id` is read for the rows whose new version continues them.
///
/// Used by one thread.
public final class KeyLookup {
  private final Table table;
  private final KeyColumns columns;
  private final KeyVector keys;
  private final BitSet continued;
  private final PartitionKeys partitions;
  private final KeyPageCache cache;
  private final DeleteLoader deletes;
  private final @Nullable NameMapping names;

  /// @param keys sorted distinct keys
  /// @param continued the keys whose new row keeps the old row's `_row_id`
  /// @param partitions where keys lie, as far as it follows from them
  public KeyLookup(
      Table table,
      KeyColumns columns,
      KeyVector keys,
      BitSet continued,
      PartitionKeys partitions,
      KeyPageCache cache) {
    this.table = table;
    this.columns = columns;
    this.keys = keys;
    this.continued = continued;
    this.partitions = partitions;
    this.cache = cache;
    this.deletes = new DeleteLoader(table);
    String mapping = table.properties().get(TableProperties.DEFAULT_NAME_MAPPING);
    this.names = mapping == null ? null : NameMappingParser.fromJson(mapping);
  }

  /// Looks into the given files.
  public OldRows find(Collection<LiveFile> files) {
    Map<String, OldRows.InFile> found = new LinkedHashMap<>();
    for (LiveFile file : files) {
      OldRows.InFile inFile = find(file);
      if (inFile != null) {
        found.put(file.location(), inFile);
      }
    }
    return new OldRows(found);
  }

  private OldRows.@Nullable InFile find(LiveFile file) {
    int[] selected = partitions.of(file.file());
    KeyVector candidates = selected == null ? keys : keys.gather(selected);
    int from = file.range().from(candidates);
    int to = file.range().to(candidates);
    if (from >= to) {
      return null;
    }
    if (file.file().format() != FileFormat.PARQUET) {
      return findRecords(file, candidates, from, to, selected);
    }
    try (FileKeys fileKeys = open(file.file())) {
      FileKeys.Matches matches = fileKeys.find(candidates, from, to);
      if (matches.count() == 0) {
        return new OldRows.InFile(file, null, new int[0], new long[0], new long[0]);
      }
      return live(file, fileKeys, matches, selected);
    }
  }

  private OldRows.InFile findRecords(
      LiveFile file, KeyVector candidates, int from, int to, int @Nullable [] selected) {
    RecordKeys.Found found;
    try (RecordKeys records = new RecordKeys(columns, candidates, from, to)) {
      InputFile in = table.io().newInputFile(file.file());
      found = records.find(in, file.file(), spec(file.file()), names);
    }
    PositionDeleteIndex deleted = found.rows().length == 0 ? null : deletes.load(file);
    int[] keyIndexes = new int[found.rows().length];
    long[] rows = new long[keyIndexes.length];
    long[] ids = new long[keyIndexes.length];
    int count = 0;
    for (int i = 0; i < keyIndexes.length; i++) {
      if (deleted == null || !deleted.isDeleted(found.rows()[i])) {
        int candidate = found.keyIndexes()[i];
        int key = selected == null ? candidate : selected[candidate];
        keyIndexes[count] = key;
        rows[count] = found.rows()[i];
        ids[count++] = continued.get(key) ? found.rowIds()[i] : OldRows.NO_ROW_ID;
      }
    }
    return new OldRows.InFile(
        file,
        deleted,
        Arrays.copyOf(keyIndexes, count),
        Arrays.copyOf(rows, count),
        Arrays.copyOf(ids, count));
  }

  private PartitionSpec spec(DataFile file) {
    return Objects.requireNonNull(table.specs().get(file.specId()));
  }

  private FileKeys open(DataFile file) {
    ReadContext context = ReadContext.of(file, spec(file), names);
    return FileKeys.open(table.io().newInputFile(file), file, columns, context, cache);
  }

  private OldRows.InFile live(
      LiveFile file, FileKeys fileKeys, FileKeys.Matches matches, int @Nullable [] selected) {
    PositionDeleteIndex deleted = deletes.load(file);
    int[] keyIndexes = new int[matches.count()];
    long[] rows = new long[matches.count()];
    int count = 0;
    for (int i = 0; i < matches.count(); i++) {
      long row = matches.row()[i];
      if (deleted == null || !deleted.isDeleted(row)) {
        int candidate = matches.keyIndex()[i];
        keyIndexes[count] = selected == null ? candidate : selected[candidate];
        rows[count++] = row;
      }
    }
    keyIndexes = Arrays.copyOf(keyIndexes, count);
    rows = Arrays.copyOf(rows, count);
    RowOrder.sort(rows, keyIndexes);
    return new OldRows.InFile(file, deleted, keyIndexes, rows, rowIds(fileKeys, keyIndexes, rows));
  }

  private long[] rowIds(FileKeys fileKeys, int[] keyIndexes, long[] rows) {
    long[] ids = new long[rows.length];
    Arrays.fill(ids, OldRows.NO_ROW_ID);
    long[] wanted = new long[rows.length];
    int[] places = new int[rows.length];
    int count = 0;
    for (int i = 0; i < rows.length; i++) {
      if (continued.get(keyIndexes[i])) {
        wanted[count] = rows[i];
        places[count++] = i;
      }
    }
    if (count > 0) {
      long[] read = fileKeys.rowIds(Arrays.copyOf(wanted, count));
      for (int i = 0; i < count; i++) {
        ids[places[i]] = read[i];
      }
    }
    return ids;
  }
}
