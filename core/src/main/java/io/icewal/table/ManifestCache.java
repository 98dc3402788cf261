package io.icewal.table;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyRange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.types.Types.StructType;

/// Live entries of manifests that were read before. Manifests never change, so a commit costs
/// reading the manifests that it made; a cold process reads them all. Never truth, only memory:
/// bounded by the number of entries, least recently used manifests go first.
///
/// Thread-safe.
public final class ManifestCache {
  /// Entries kept at most: about 1 KiB each.
  public static final int ENTRIES_MAX_DEFAULT = 200_000;

  /// A live data file with the range of keys that it can hold.
  record DataEntry(DataFile file, KeyRange range) {}

  /// Values of partitions and ranges of keys are read as of their types then: a promotion makes
  /// them others.
  ///
  /// @param partition the fields of the manifest's partitions
  /// @param key the key's columns; none where deletes are read
  private record Key(String manifest, StructType partition, StructType key) {}

  private final int entriesMax;
  private final LinkedHashMap<Key, List<DataEntry>> data = new LinkedHashMap<>(16, 0.75f, true);
  private final LinkedHashMap<Key, List<DeleteFile>> deletes = new LinkedHashMap<>(16, 0.75f, true);
  private int entries;

  public ManifestCache() {
    this(ENTRIES_MAX_DEFAULT);
  }

  public ManifestCache(int entriesMax) {
    this.entriesMax = entriesMax;
  }

  List<DataEntry> data(
      ManifestFile manifest, FileIO io, Map<Integer, PartitionSpec> specs, KeyColumns columns) {
    Key key = key(manifest, specs, columns.keySchema().asStruct());
    List<DataEntry> known = get(data, key);
    if (known != null) {
      return known;
    }
    List<DataEntry> read = readData(manifest, io, specs, columns);
    put(data, key, read);
    return read;
  }

  List<DeleteFile> deletes(ManifestFile manifest, FileIO io, Map<Integer, PartitionSpec> specs) {
    Key key = key(manifest, specs, StructType.of());
    List<DeleteFile> known = get(deletes, key);
    if (known != null) {
      return known;
    }
    List<DeleteFile> read = new ArrayList<>();
    try (ManifestReader<DeleteFile> reader =
        ManifestFiles.readDeleteManifest(manifest, io, specs)) {
      for (DeleteFile file : reader) {
        read.add(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read manifest " + manifest.path(), e);
    }
    put(deletes, key, List.copyOf(read));
    return read;
  }

  private static Key key(ManifestFile manifest, Map<Integer, PartitionSpec> specs, StructType key) {
    PartitionSpec spec = Objects.requireNonNull(specs.get(manifest.partitionSpecId()));
    return new Key(manifest.path(), spec.partitionType(), key);
  }

  private static List<DataEntry> readData(
      ManifestFile manifest, FileIO io, Map<Integer, PartitionSpec> specs, KeyColumns columns) {
    List<DataEntry> read = new ArrayList<>();
    try (ManifestReader<DataFile> reader = ManifestFiles.read(manifest, io, specs)) {
      for (DataFile file : reader) {
        KeyRange range = columns.isEmpty() ? KeyRange.ALL : columns.range(file);
        read.add(new DataEntry(file.copyWithStats(new HashSet<>(columns.fieldIds())), range));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read manifest " + manifest.path(), e);
    }
    return List.copyOf(read);
  }

  private synchronized <E> @org.jspecify.annotations.Nullable List<E> get(
      Map<Key, List<E>> map, Key key) {
    return map.get(key);
  }

  private synchronized <E> void put(LinkedHashMap<Key, List<E>> map, Key key, List<E> value) {
    List<E> old = map.put(key, value);
    entries += cost(value) - (old == null ? 0 : cost(old));
    shrink(data, key);
    shrink(deletes, key);
  }

  /// A manifest without live entries takes memory, too.
  private static int cost(List<?> value) {
    return value.size() + 1;
  }

  private <E> void shrink(LinkedHashMap<Key, List<E>> map, Key kept) {
    Iterator<Map.Entry<Key, List<E>>> oldest = map.entrySet().iterator();
    while (entries > entriesMax && oldest.hasNext()) {
      Map.Entry<Key, List<E>> entry = oldest.next();
      if (!entry.getKey().equals(kept)) {
        entries -= cost(entry.getValue());
        oldest.remove();
      }
    }
  }
}
