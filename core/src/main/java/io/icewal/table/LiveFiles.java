package io.icewal.table;

import io.icewal.merge.KeyColumns;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.util.ContentFileUtil;
import org.apache.iceberg.util.PartitionMap;
import org.jspecify.annotations.Nullable;

/// All live files of one snapshot. Immutable.
public final class LiveFiles {
  public static final LiveFiles NONE = new LiveFiles(null, Map.of(), 0);

  private final @Nullable Snapshot snapshot;
  private final Map<String, LiveFile> files;
  private final int equalityDeletes;

  private LiveFiles(@Nullable Snapshot snapshot, Map<String, LiveFile> files, int equalityDeletes) {
    this.snapshot = snapshot;
    this.files = files;
    this.equalityDeletes = equalityDeletes;
  }

  /// The live files of the table's current snapshot.
  public static LiveFiles of(Table table, KeyColumns key, ManifestCache cache) {
    return of(table, table.currentSnapshot(), key, cache);
  }

  /// The live files of one snapshot of a table; none without one.
  public static LiveFiles of(
      Table table, @Nullable Snapshot snapshot, KeyColumns key, ManifestCache cache) {
    if (snapshot == null) {
      return NONE;
    }
    Deletes deletes = new Deletes(table.specs());
    for (ManifestFile manifest : snapshot.deleteManifests(table.io())) {
      cache.deletes(manifest, table.io(), table.specs()).forEach(deletes::add);
    }
    Map<String, LiveFile> files = new LinkedHashMap<>();
    for (ManifestFile manifest : snapshot.dataManifests(table.io())) {
      for (ManifestCache.DataEntry entry : cache.data(manifest, table.io(), table.specs(), key)) {
        DataFile file = entry.file();
        files.put(file.location(), new LiveFile(file, entry.range(), deletes.of(file)));
      }
    }
    return new LiveFiles(snapshot, files, deletes.equality);
  }

  /// The snapshot; null for a table without one.
  public @Nullable Snapshot snapshot() {
    return snapshot;
  }

  public Collection<LiveFile> files() {
    return files.values();
  }

  /// The live file of that location, or null.
  public @Nullable LiveFile find(String location) {
    return files.get(location);
  }

  /// Whether the file is live here with the same deletes, so that what was found in it stands.
  boolean has(LiveFile file) {
    LiveFile here = files.get(file.location());
    return here != null && here.isSameAs(file);
  }

  /// The files that are not live in another snapshot, or have other deletes there.
  public List<LiveFile> notIn(LiveFiles others) {
    return files.values().stream().filter(file -> !others.has(file)).toList();
  }

  /// How many equality delete files are live.
  public int equalityDeletes() {
    return equalityDeletes;
  }

  /// Deletes by what they apply to.
  private static final class Deletes {
    private final Map<String, DeleteFile> vectors = new HashMap<>();
    private final Map<String, List<DeleteFile>> byFile = new HashMap<>();
    private final PartitionMap<List<DeleteFile>> byPartition;
    private int equality;

    Deletes(Map<Integer, PartitionSpec> specs) {
      // Compares partitions by value: those read from manifests hold bytes as arrays.
      byPartition = PartitionMap.create(specs);
    }

    void add(DeleteFile delete) {
      if (delete.content() == FileContent.EQUALITY_DELETES) {
        equality++;
      } else if (ContentFileUtil.isDV(delete)) {
        vectors.put(delete.referencedDataFile(), delete);
      } else if (ContentFileUtil.isFileScoped(delete)) {
        String location = ContentFileUtil.referencedDataFileLocation(delete);
        byFile.computeIfAbsent(location, key -> new ArrayList<>()).add(delete);
      } else {
        byPartition
            .computeIfAbsent(delete.specId(), delete.partition(), ArrayList::new)
            .add(delete);
      }
    }

    /// A deletion vector holds all deletes of its file; without one, each position delete file of
    /// at least the data file's sequence number counts.
    List<DeleteFile> of(DataFile file) {
      DeleteFile vector = vectors.get(file.location());
      if (vector != null) {
        return List.of(vector);
      }
      List<DeleteFile> found = new ArrayList<>();
      for (DeleteFile delete : byFile.getOrDefault(file.location(), List.of())) {
        if (isNewEnough(delete, file)) {
          found.add(delete);
        }
      }
      List<DeleteFile> inPartition = byPartition.get(file.specId(), file.partition());
      for (DeleteFile delete : inPartition == null ? List.<DeleteFile>of() : inPartition) {
        if (isNewEnough(delete, file)) {
          found.add(delete);
        }
      }
      return found;
    }

    private static boolean isNewEnough(DeleteFile delete, DataFile file) {
      Long sequence = file.dataSequenceNumber();
      Long deleteSequence = delete.dataSequenceNumber();
      return sequence == null || deleteSequence == null || deleteSequence >= sequence;
    }
  }
}
