package io.icewal.cli.load;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.UUID;

/// Names the producer of one file.
///
/// Under one `--producer ID` every file is a producer of its own, because sequence numbers count a
/// file's batches: else the second file would be taken for a repeat of the first. The name also
/// holds what else decides which rows a number stands for: the operation and the batch size.
final class ProducerNames {
  private ProducerNames() {}

  static String of(LoadOptions options, String file) {
    if (options.producer() == null) {
      return "load-" + UUID.randomUUID();
    }
    String place = file.equals("-") ? file : Path.of(file).toAbsolutePath().normalize().toString();
    String op = options.op().name().toLowerCase(Locale.ROOT);
    String identity = place + "\n" + op + "\n" + options.batchRows();
    UUID hash = UUID.nameUUIDFromBytes(identity.getBytes(StandardCharsets.UTF_8));
    return options.producer() + "/" + hash;
  }
}
