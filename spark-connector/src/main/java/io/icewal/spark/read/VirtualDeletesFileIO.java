package io.icewal.spark.read;

import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.hadoop.HadoopConfigurable;
import org.apache.iceberg.inmemory.InMemoryInputFile;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.util.SerializableSupplier;
import org.jspecify.annotations.Nullable;

/// A table's file access that also finds some bytes of its own. Is broadcast once for a scan.
final class VirtualDeletesFileIO implements FileIO, HadoopConfigurable {
  private static final long serialVersionUID = 1L;

  private final FileIO files;

  @SuppressWarnings("serial") // A HashMap.
  private final Map<String, byte[]> own;

  VirtualDeletesFileIO(FileIO files, Map<String, byte[]> own) {
    this.files = files;
    this.own = new HashMap<>(own);
  }

  @Override
  public InputFile newInputFile(String location) {
    byte[] bytes = own.get(location);
    return bytes == null ? files.newInputFile(location) : new InMemoryInputFile(location, bytes);
  }

  @Override
  public InputFile newInputFile(String location, long length) {
    byte[] bytes = own.get(location);
    return bytes == null
        ? files.newInputFile(location, length)
        : new InMemoryInputFile(location, bytes);
  }

  @Override
  public OutputFile newOutputFile(String location) {
    return files.newOutputFile(location);
  }

  @Override
  public void deleteFile(String location) {
    files.deleteFile(location);
  }

  @Override
  public Map<String, String> properties() {
    return files.properties();
  }

  @Override
  public void initialize(Map<String, String> properties) {
    files.initialize(properties);
  }

  @Override
  public void close() {
    files.close();
  }

  @Override
  public void serializeConfWith(
      java.util.function.Function<Configuration, SerializableSupplier<Configuration>> serializer) {
    if (files instanceof HadoopConfigurable configurable) {
      configurable.serializeConfWith(serializer);
    }
  }

  @Override
  public void setConf(Configuration configuration) {
    if (files instanceof HadoopConfigurable configurable) {
      configurable.setConf(configuration);
    }
  }

  @Override
  public @Nullable Configuration getConf() {
    return files instanceof HadoopConfigurable configurable ? configurable.getConf() : null;
  }
}
