package io.icewal.trino.read;

import io.icewal.merge.KeyColumns;
import io.icewal.parquet.FileKeys;
import io.icewal.parquet.KeyPageCache;
import io.icewal.parquet.ReadContext;
import io.icewal.parquet.RowGroups;
import io.icewal.read.DeletedRows;
import io.icewal.read.HiddenRows;
import io.icewal.read.HiddenRowsCache;
import io.trino.plugin.iceberg.IcebergErrorCode;
import io.trino.plugin.iceberg.IcebergSplit;
import io.trino.plugin.iceberg.IcebergTableHandle;
import io.trino.plugin.iceberg.PartitionData;
import io.trino.plugin.iceberg.delete.DeleteFile;
import io.trino.spi.TrinoException;
import io.trino.spi.type.TypeManager;
import java.io.UncheckedIOException;
import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.BaseDeleteLoader;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.mapping.NameMapping;
import org.apache.iceberg.mapping.NameMappingParser;
import org.apache.iceberg.types.Type;
import org.jspecify.annotations.Nullable;

/// A part of a Parquet data file, as a worker reads it: which rows of the file the tail hides, and
/// how many of the part are shown. Used by one thread.
final class FilePart {
  private final IcebergSplit split;
  private final byte[] keys;
  private final KeyColumns key;
  private final PartitionSpec spec;
  private final DataFile file;
  private final ReadContext context;
  private final FileIO io;
  private final KeyPageCache keyPages;

  /// @param key of the table's current schema, which is `schema`
  FilePart(
      BaseSplit base,
      IcebergTableHandle table,
      Schema schema,
      KeyColumns key,
      TypeManager types,
      FileIO io,
      KeyPageCache keyPages) {
    this.split = base.file();
    this.keys = base.keys();
    this.key = key;
    this.spec =
        PartitionSpecParser.fromJson(schema, table.getPartitionSpecJsons().get(split.specId()));
    this.file = file(split, spec, schema, types);
    NameMapping names = table.getNameMappingJson().map(NameMappingParser::fromJson).orElse(null);
    this.context = ReadContext.of(file, spec, names);
    this.io = io;
    this.keyPages = keyPages;
  }

  /// The data file, as far as the split tells.
  private static DataFile file(
      IcebergSplit split, PartitionSpec spec, Schema schema, TypeManager types) {
    DataFiles.Builder builder =
        DataFiles.builder(spec)
            .withPath(split.path())
            .withFormat(FileFormat.PARQUET)
            .withFileSizeInBytes(split.fileSize())
            .withRecordCount(split.fileRecordCount());
    if (spec.isPartitioned()) {
      Type[] partitionTypes =
          spec.fields().stream()
              .map(field -> field.transform().getResultType(schema.findType(field.sourceId())))
              .toArray(Type[]::new);
      builder.withPartition(
          PartitionData.fromBlocks(split.partitionValues(), partitionTypes, types));
    }
    split.fileFirstRowId().ifPresent(builder::withFirstRowId);
    return builder.build();
  }

  /// The rows of the file that the tail hides, ascending: the same for all parts of a file.
  long[] hidden(HiddenRowsCache known) {
    return known.get(
        split.path(),
        key.keySchema().asStruct().toString(),
        keys,
        slice -> HiddenRows.find(in(), file, key, slice, context, keyPages));
  }

  private InputFile in() {
    return io.newInputFile(file.location(), file.fileSizeInBytes());
  }

  /// Whether the rows that the table's own deletes leave can be told without reading them.
  boolean isCountable() {
    return split.deletes().stream().allMatch(delete -> delete.format() == FileFormat.PUFFIN);
  }

  /// How many rows of the part are shown, of a part that is countable.
  ///
  /// @param hidden as [#hidden] gives them
  long shown(long[] hidden) {
    RowGroups.Rows rows;
    try (FileKeys open = FileKeys.open(in(), file, key, context, keyPages)) {
      rows = open.rowGroups().beginningIn(split.start(), split.length());
    }
    return rows.to() - rows.from() - new DeletedRows(deleted(), hidden).count(rows);
  }

  private @Nullable PositionDeleteIndex deleted() {
    List<DeleteFile> deletes = split.deletes();
    if (deletes.isEmpty()) {
      return null;
    }
    try {
      return new BaseDeleteLoader(delete -> io.newInputFile(delete.location()))
          .loadPositionDeletes(
              deletes.stream().map(this::deletionVector).toList(), file.location());
    } catch (UncheckedIOException e) {
      throw unreadable(IcebergErrorCode.ICEBERG_CANNOT_OPEN_SPLIT, deletes, e);
    } catch (IllegalArgumentException e) {
      throw unreadable(IcebergErrorCode.ICEBERG_BAD_DATA, deletes, e);
    }
  }

  private TrinoException unreadable(
      IcebergErrorCode code, List<DeleteFile> vectors, RuntimeException cause) {
    return new TrinoException(
        code,
        "cannot read deletion vector "
            + vectors.get(0).path()
            + " of data file "
            + file.location()
            + ": "
            + cause.getMessage(),
        cause);
  }

  private org.apache.iceberg.DeleteFile deletionVector(DeleteFile vector) {
    return FileMetadata.deleteFileBuilder(spec)
        .ofPositionDeletes()
        .withPath(vector.path())
        .withFormat(FileFormat.PUFFIN)
        .withPartition(file.partition())
        .withReferencedDataFile(file.location())
        .withFileSizeInBytes(vector.fileSizeInBytes())
        .withContentOffset(vector.contentOffset().orElseThrow())
        .withContentSizeInBytes(vector.contentSizeInBytes().orElseThrow())
        .withRecordCount(vector.recordCount())
        .build();
  }
}
