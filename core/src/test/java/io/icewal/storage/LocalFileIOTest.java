package io.icewal.storage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.FileInfo;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.PositionOutputStream;
import org.apache.iceberg.io.RangeReadable;
import org.apache.iceberg.io.SeekableInputStream;
import org.apache.iceberg.util.SerializationUtil;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LocalFileIOTest {
  @TempDir Path folder;
  private final LocalFileIO io = new LocalFileIO();

  @BeforeEach
  void initialize() {
    io.initialize(Map.of("some", "property"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "file:", "file://", "FILE://", "file://localhost"})
  void everyFormOfALocalLocationNamesTheSameFile(String scheme) throws IOException {
    String location = scheme + folder + "/a b/x%20y?.parquet";

    write(location, "hello");

    assertThat(Files.readString(folder.resolve("a b/x%20y?.parquet"))).isEqualTo("hello");
    assertThat(io.newInputFile(location).location()).isEqualTo(location);
    assertThat(io.newInputFile(location).getLength()).isEqualTo(5);
  }

  @ParameterizedTest
  @ValueSource(strings = {"s3://bucket/key", "relative/file", "file:relative", "file://host/path"})
  void otherLocationsAreRefused(String location) {
    assertThatThrownBy(() -> io.newInputFile(location))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(location);
  }

  @Test
  void fileIsThereOnlyOnceItsStreamIsClosed() throws IOException {
    OutputFile file = io.newOutputFile(folder + "/t/x.parquet");

    PositionOutputStream out = file.create();
    out.write("hello".getBytes(UTF_8));
    out.flush();

    assertThat(file.toInputFile().exists()).isFalse();
    assertThat(out.getPos()).isEqualTo(5);
    out.close();
    out.close();
    assertThat(file.toInputFile().exists()).isTrue();
    assertThat(names()).containsExactly("t/x.parquet");
  }

  @Test
  void createRefusesAnExistingFileAlsoWhenItCameMeanwhile() throws IOException {
    OutputFile file = io.newOutputFile(folder + "/x");
    PositionOutputStream early = file.create();
    write(folder + "/x", "other");

    assertThatThrownBy(file::create).isInstanceOf(AlreadyExistsException.class);
    assertThatThrownBy(early::close).isInstanceOf(AlreadyExistsException.class);

    assertThat(Files.readString(folder.resolve("x"))).isEqualTo("other");
    assertThat(names()).containsExactly("x");
  }

  @Test
  void createOrOverwriteReplacesAtOnce() throws IOException {
    write(folder + "/x", "old");

    try (PositionOutputStream out = io.newOutputFile(folder + "/x").createOrOverwrite()) {
      out.write('n');
      assertThat(Files.readString(folder.resolve("x"))).isEqualTo("old");
    }

    assertThat(Files.readString(folder.resolve("x"))).isEqualTo("n");
  }

  @Test
  void crashLeavesNoFileUnderTheFinalNameAndWhatItLeavesIsListed() throws IOException {
    PositionOutputStream abandoned = io.newOutputFile(folder + "/x").create();
    abandoned.write(1);

    assertThat(names()).singleElement().asString().startsWith("x.").endsWith(".tmp");
    assertThat(listed("file://" + folder)).hasSize(1);
  }

  @Test
  void streamsSeekSkipAndReadRanges() throws IOException {
    write(folder + "/x", "0123456789");

    try (SeekableInputStream in = io.newInputFile(folder + "/x").newStream()) {
      assertThat(in.read()).isEqualTo('0');
      in.seek(5);
      assertThat(in.getPos()).isEqualTo(5);
      assertThat(in.skip(2)).isEqualTo(2);
      assertThat(in.read()).isEqualTo('7');
      assertThat(in.available()).isEqualTo(2);
      assertThat(in.readAllBytes()).hasSize(2);
      assertThat(in.read()).isEqualTo(-1);
      assertThat(in.skip(5)).isZero();
      byte[] range = new byte[6];
      ((RangeReadable) in).readFully(3, range, 1, 4);
      assertThat(range).isEqualTo(new byte[] {0, '3', '4', '5', '6', 0});
      assertThat(((RangeReadable) in).readTail(range)).isEqualTo(6);
      assertThat(new String(range, UTF_8)).isEqualTo("456789");
      assertThatThrownBy(() -> ((RangeReadable) in).readFully(8, range, 0, 4))
          .isInstanceOf(EOFException.class);
    }
  }

  @Test
  void missingFilesAreNotFound() {
    assertThat(io.newInputFile(folder + "/x").exists()).isFalse();
    assertThat(io.newInputFile(folder.toString()).exists()).isFalse();
    assertThatThrownBy(() -> io.newInputFile(folder + "/x").getLength())
        .isInstanceOf(NotFoundException.class);
    assertThatThrownBy(() -> io.newInputFile(folder + "/x").newStream())
        .isInstanceOf(NotFoundException.class);
  }

  @Test
  void deletesPassOverMissingFiles() throws IOException {
    write(folder + "/x", "1");
    write(folder + "/y", "2");

    io.deleteFile(folder + "/x");
    io.deleteFile(folder + "/x");
    io.deleteFiles(List.of(folder + "/x", folder + "/y"));

    assertThat(names()).isEmpty();
  }

  @Test
  void prefixesAreListedAndDeletedInTheFormTheyWereGiven() throws IOException {
    write(folder + "/t/data/1", "1");
    write(folder + "/t/data/d/2", "22");
    write(folder + "/t/metadata/3", "333");
    write(folder + "/t2/4", "4");

    assertThat(listed("file://" + folder + "/t/data"))
        .containsExactlyInAnyOrder(
            "file://" + folder + "/t/data/1", "file://" + folder + "/t/data/d/2");
    assertThat(listed(folder + "/t/da")).hasSize(2);
    assertThat(listed(folder + "/none/here")).isEmpty();
    FileInfo info = io.listPrefix("file:" + folder + "/t/metadata").iterator().next();
    assertThat(info.size()).isEqualTo(3);
    assertThat(info.createdAtMillis()).isPositive();

    io.deletePrefix(folder + "/t");
    io.deletePrefix(folder + "/none");

    assertThat(names()).containsExactly("t2/4");
    write(folder + "/t/data/5", "again");
  }

  @Test
  void isLoadedByNameAndSurvivesSerialization() throws IOException {
    FileIO loaded =
        CatalogUtil.loadFileIO(LocalFileIO.class.getName(), Map.of("key", "value"), null);

    LocalFileIO copy =
        SerializationUtil.deserializeFromBytes(SerializationUtil.serializeToBytes(loaded));

    assertThat(copy.properties()).containsEntry("key", "value");
    try (PositionOutputStream out = copy.newOutputFile(folder + "/x").create()) {
      out.write(1);
    }
    assertThat(names()).containsExactly("x");
  }

  private void write(String location, String text) throws IOException {
    try (PositionOutputStream out = io.newOutputFile(location).create()) {
      out.write(text.getBytes(UTF_8));
    }
  }

  private List<String> listed(String prefix) {
    List<String> locations = new ArrayList<>();
    io.listPrefix(prefix).forEach(info -> locations.add(info.location()));
    return locations;
  }

  private List<String> names() throws IOException {
    try (var files = Files.walk(folder)) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> folder.relativize(file).toString())
          .toList();
    }
  }
}
