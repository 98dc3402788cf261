package io.icewal.table;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.apache.iceberg.deletes.BaseDVFileWriter;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.io.DeleteWriteResult;
import org.apache.iceberg.io.OutputFileFactory;

/// What deletes rows of data files: deletion vectors that hold the rows deleted before and now, in
/// one Puffin file, filed under each data file's own partition spec. A file without any row left is
/// removed as a whole.
///
/// @param added the new deletion vectors
/// @param replaced the deletes that the new ones hold too: they must go
/// @param referenced the data files that must still be there
/// @param removedFiles data files without any row left
public record DeletionVectors(
    List<DeleteFile> added,
    List<DeleteFile> replaced,
    List<String> referenced,
    List<DataFile> removedFiles) {
  /// Nothing is deleted.
  public static final DeletionVectors NONE =
      new DeletionVectors(List.of(), List.of(), List.of(), List.of());

  /// Removes all rows of all files.
  public static DeletionVectors allOf(LiveFiles files) {
    return new DeletionVectors(
        List.of(),
        files.files().stream().flatMap(DeletionVectors::ownDeletes).toList(),
        List.of(),
        files.files().stream().map(LiveFile::file).toList());
  }

  /// The deletes of one file alone, which go with it. Iceberg drops them by itself, but no longer
  /// does once any delete is removed by name.
  private static Stream<DeleteFile> ownDeletes(LiveFile file) {
    return file.deletes().stream().filter(delete -> delete.referencedDataFile() != null);
  }

  /// Writes the vectors that delete the found rows.
  ///
  /// @param name a part of the Puffin file's name that no other commit uses
  public static DeletionVectors write(Table table, FoundRows rows, String name) {
    List<DataFile> removed = new ArrayList<>();
    List<DeleteFile> replaced = new ArrayList<>();
    List<FoundRows.InFile> kept = new ArrayList<>();
    for (FoundRows.InFile found : rows.files()) {
      if (found.isWholeFile()) {
        removed.add(found.file().file());
        ownDeletes(found.file()).forEach(replaced::add);
      } else {
        kept.add(found);
      }
    }
    DeleteWriteResult written = kept.isEmpty() ? null : writeVectors(table, kept, name);
    if (written == null) {
      return new DeletionVectors(List.of(), replaced, List.of(), removed);
    }
    replaced.addAll(withManifests(written.rewrittenDeleteFiles(), kept));
    return new DeletionVectors(
        written.deleteFiles(),
        replaced,
        kept.stream().map(found -> found.file().location()).toList(),
        removed);
  }

  private static DeleteWriteResult writeVectors(
      Table table, List<FoundRows.InFile> files, String name) {
    OutputFileFactory outputs =
        OutputFileFactory.builderFor(table, 0, 0)
            .format(FileFormat.PUFFIN)
            .operationId(name)
            .build();
    Map<String, FoundRows.InFile> byLocation =
        files.stream().collect(Collectors.toMap(f -> f.file().location(), f -> f));
    BaseDVFileWriter writer =
        new BaseDVFileWriter(
            outputs, location -> before(Objects.requireNonNull(byLocation.get(location))));
    for (FoundRows.InFile found : files) {
      DataFile file = found.file().file();
      PartitionSpec spec = Objects.requireNonNull(table.specs().get(file.specId()));
      writer.delete(file.location(), found.rows(), spec, file.partition());
    }
    try {
      writer.close();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write deletion vectors of " + table.name(), e);
    }
    return writer.result();
  }

  private static PositionDeleteIndex before(FoundRows.InFile found) {
    PositionDeleteIndex deleted = found.deleted();
    return deleted == null ? PositionDeleteIndex.empty() : deleted;
  }

  /// The deletes as they came from manifests: only these know their manifest, which spares the
  /// commit from opening every delete manifest.
  private static List<DeleteFile> withManifests(
      List<DeleteFile> replaced, List<FoundRows.InFile> files) {
    TreeSet<String> names = new TreeSet<>();
    replaced.forEach(delete -> names.add(name(delete)));
    return files.stream()
        .flatMap(found -> found.file().deletes().stream())
        .filter(delete -> names.remove(name(delete)))
        .toList();
  }

  private static String name(DeleteFile delete) {
    return delete.location() + "#" + delete.contentOffset();
  }
}
