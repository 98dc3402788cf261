package io.icewal.table;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyVector;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Verdict;
import io.icewal.parquet.ParquetColumnReader;
import io.icewal.parquet.ReadContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.mapping.NameMapping;
import org.apache.iceberg.mapping.NameMappingParser;
import org.jspecify.annotations.Nullable;

/// Looks into the live files of a table that is to be adopted.
///
/// 1. Manifests tell of equality deletes, formats and encryption. Any of that ends the look.
/// 2. Of each Parquet file the footer tells whether every column can be read.
/// 3. Of a keyed table the key columns are read: live rows with a null in their key are counted,
///    the keys of the others go into a [KeyCensus].
///
/// It may be asked again when the table has changed since. Then only new files are read, if those
/// that were read are all there with the same deletes, which is so when other engines only append.
/// Used by one thread.
final class AdoptionFiles implements AutoCloseable {
  private static final int BATCH_ROWS = 1 << 16;

  private final AdoptionServices services;
  private final ManifestCache manifests = new ManifestCache();
  private final Map<String, LiveFile> read = new LinkedHashMap<>();
  private KeyColumns key = KeyColumns.of(new Schema());
  private @Nullable KeyCensus census;
  private long rows;

  AdoptionFiles(AdoptionServices services) {
    this.services = services;
  }

  long dataFiles() {
    return read.size();
  }

  long rows() {
    return rows;
  }

  /// What is in the way of the adoption.
  ///
  /// @param wanted the key that the table is to have
  /// @throws IcewalException UNAVAILABLE if a file cannot be read now
  List<Verdict> check(Table table, KeyColumns wanted) {
    LiveFiles files = LiveFiles.of(table, wanted, manifests);
    List<Verdict> refusals = new ArrayList<>();
    equalityDeletes(table, files, refusals);
    formats(files, wanted, refusals);
    if (!refusals.isEmpty()) {
      return refusals;
    }
    if (!wanted.sameFields(key) || !areStillThere(files)) {
      close();
      read.clear();
      rows = 0;
      key = wanted;
    }
    readNew(table, files, refusals);
    if (census != null) {
      refusals.addAll(new DuplicateSearch(table, key, files).verdicts(census.duplicates()));
    }
    return refusals;
  }

  private boolean areStillThere(LiveFiles files) {
    for (LiveFile file : read.values()) {
      LiveFile now = files.find(file.location());
      if (now == null || !now.isSameAs(file)) {
        return false;
      }
    }
    return true;
  }

  /// Equality deletes that no longer apply to any row do no harm.
  private static void equalityDeletes(Table table, LiveFiles files, List<Verdict> refusals) {
    if (files.equalityDeletes() == 0) {
      return;
    }
    Map<String, String> applied = new LinkedHashMap<>();
    try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
      for (FileScanTask task : tasks) {
        for (DeleteFile delete : task.deletes()) {
          if (delete.content() == FileContent.EQUALITY_DELETES) {
            applied.putIfAbsent(delete.location(), task.file().location());
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot end planning of " + table.name(), e);
    }
    if (!applied.isEmpty()) {
      Map.Entry<String, String> first = applied.entrySet().iterator().next();
      refusals.add(
          new Verdict(
              -1,
              "",
              "equality-deletes",
              null,
              applied.size()
                  + " equality delete files are live, such as "
                  + first.getKey()
                  + ", which applies to "
                  + first.getValue()
                  + "; stop what writes them and rewrite the data files that they apply to"));
    }
  }

  private static void formats(LiveFiles files, KeyColumns key, List<Verdict> refusals) {
    Examples formats = new Examples();
    Examples encrypted = new Examples();
    for (LiveFile live : files.files()) {
      DataFile file = live.file();
      if (file.keyMetadata() != null) {
        encrypted.add(file.location());
      }
      boolean row = file.format() == FileFormat.AVRO || file.format() == FileFormat.ORC;
      if (file.format() != FileFormat.PARQUET && (!row || !key.isEmpty())) {
        formats.add(file.location() + " (" + file.format() + ")");
      }
    }
    formats.addTo(
        refusals,
        "file-format",
        "",
        key.isEmpty()
            ? "data files are not of a format that icewal reads; expected Parquet, ORC or Avro"
            : "data files are not Parquet, so that upserts could not look for keys in them; rewrite"
                + " them");
    encrypted.addTo(
        refusals, "encryption", "", "data files are encrypted, which icewal does not read");
  }

  private void readNew(Table table, LiveFiles files, List<Verdict> refusals) {
    Examples unreadable = new Examples();
    Map<String, Examples> nulls = new LinkedHashMap<>();
    DeleteLoader deletes = new DeleteLoader(table);
    for (LiveFile file : files.files()) {
      if (read.putIfAbsent(file.location(), file) == null) {
        try {
          read(table, file, deletes, nulls);
        } catch (IcewalException | NotFoundException e) {
          if (e instanceof IcewalException known && known.kind() == ErrorKind.UNAVAILABLE) {
            throw known;
          }
          unreadable.add(file.location() + " (" + e.getMessage() + ")");
        }
      }
    }
    unreadable.addTo(refusals, "file-unreadable", "", "data files cannot be read");
    nulls.forEach(
        (column, found) ->
            found.addTo(
                refusals,
                "key-null",
                column,
                "rows have a null in key column '" + column + "', and a key needs a value"));
  }

  private void read(Table table, LiveFile file, DeleteLoader deletes, Map<String, Examples> nulls) {
    if (file.file().format() != FileFormat.PARQUET) {
      rows += file.file().recordCount();
      return;
    }
    open(table, file, table.schema()).close();
    PositionDeleteIndex deleted = deletes.load(file);
    rows += file.file().recordCount() - (deleted == null ? 0 : deleted.cardinality());
    if (key.isEmpty()) {
      return;
    }
    try (ParquetColumnReader reader = open(table, file, key.keySchema())) {
      for (VectorSchemaRoot batch = reader.next(); batch != null; batch = reader.next()) {
        take(file, batch, reader, deleted, nulls);
      }
    }
  }

  private ParquetColumnReader open(Table table, LiveFile file, Schema projection) {
    String mapping = table.properties().get(TableProperties.DEFAULT_NAME_MAPPING);
    NameMapping names = mapping == null ? null : NameMappingParser.fromJson(mapping);
    ReadContext context =
        ReadContext.of(
                file.file(), Objects.requireNonNull(table.specs().get(file.file().specId())), names)
            .withBatchRows(BATCH_ROWS);
    return ParquetColumnReader.open(
        table.io().newInputFile(file.file()), projection, context, services.allocator());
  }

  private void take(
      LiveFile file,
      VectorSchemaRoot batch,
      ParquetColumnReader reader,
      @Nullable PositionDeleteIndex deleted,
      Map<String, Examples> nulls) {
    BitSet without = new BitSet();
    if (deleted != null) {
      for (int i = 0; i < batch.getRowCount(); i++) {
        without.set(i, deleted.isDeleted(reader.row(i)));
      }
    }
    key.nulls(batch)
        .forEach(
            (column, found) -> {
              found.andNot(without);
              Examples examples = nulls.computeIfAbsent(column, name -> new Examples());
              found.stream()
                  .forEach(i -> examples.add("row " + reader.row(i) + " of " + file.location()));
            });
    KeyVector keys = key.encode(batch, without);
    without.flip(0, batch.getRowCount());
    census()
        .add(without.cardinality() == keys.size() ? keys : keys.gather(without.stream().toArray()));
  }

  private KeyCensus census() {
    if (census == null) {
      census = new KeyCensus(key, services.spillFolder(), services.keyBytesMax());
    }
    return census;
  }

  @Override
  public void close() {
    if (census != null) {
      census.close();
      census = null;
    }
  }
}
