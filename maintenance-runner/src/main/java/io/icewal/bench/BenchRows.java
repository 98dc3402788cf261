package io.icewal.bench;

import io.icewal.model.ArrowSchemas;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.TimeStampMicroTZVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;

/// Makes the rows of all measurements: a bigint key, three strings of about 20 characters (of 11
/// random digits, of 1000 distinct values, of 18 to 22 random letters), three doubles and a
/// timestamptz; about 114 bytes a row. Not thread-safe.
final class BenchRows {
  static final Schema SCHEMA =
      new Schema(
          List.of(
              NestedField.required(1, "id", Types.LongType.get()),
              NestedField.optional(2, "s1", Types.StringType.get()),
              NestedField.optional(3, "s2", Types.StringType.get()),
              NestedField.optional(4, "s3", Types.StringType.get()),
              NestedField.optional(5, "d1", Types.DoubleType.get()),
              NestedField.optional(6, "d2", Types.DoubleType.get()),
              NestedField.optional(7, "d3", Types.DoubleType.get()),
              NestedField.optional(8, "at", Types.TimestampType.withZone())),
          Set.of(1));

  private static final byte[] LETTERS =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
          .getBytes(StandardCharsets.US_ASCII);
  private static final byte[] CUSTOMER = "customer-".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] CATEGORY = "category-of-goods-".getBytes(StandardCharsets.US_ASCII);

  private final SplittableRandom random;
  private final BufferAllocator allocator;
  private final byte[] text = new byte[32];

  BenchRows(long seed, BufferAllocator allocator) {
    this.random = new SplittableRandom(seed);
    this.allocator = allocator;
  }

  /// The key of the row with the given number: all different, in no order.
  static long key(long number) {
    long mixed = (number + 1) * 0x9E3779B97F4A7C15L;
    mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
    return mixed ^ (mixed >>> 31);
  }

  static org.apache.arrow.vector.types.pojo.Schema arrowSchema() {
    return ArrowSchemas.toArrow(SCHEMA);
  }

  /// A new batch; the caller closes it.
  VectorSchemaRoot batch(int rows, LongSupplier keys) {
    VectorSchemaRoot root = VectorSchemaRoot.create(arrowSchema(), allocator);
    BigIntVector id = (BigIntVector) root.getVector("id");
    id.allocateNew(rows);
    for (int i = 0; i < rows; i++) {
      id.set(i, keys.getAsLong());
    }
    strings((VarCharVector) root.getVector("s1"), rows, this::digits);
    strings((VarCharVector) root.getVector("s2"), rows, this::category);
    strings((VarCharVector) root.getVector("s3"), rows, this::letters);
    doubles((Float8Vector) root.getVector("d1"), rows, 1 << 30);
    doubles((Float8Vector) root.getVector("d2"), rows, 1 << 30);
    doubles((Float8Vector) root.getVector("d3"), rows, 100);
    TimeStampMicroTZVector at = (TimeStampMicroTZVector) root.getVector("at");
    at.allocateNew(rows);
    for (int i = 0; i < rows; i++) {
      at.set(i, 1_700_000_000_000_000L + random.nextLong(86_400_000_000L));
    }
    root.setRowCount(rows);
    return root;
  }

  /// The same rows in a root of their own, without copying them.
  VectorSchemaRoot share(VectorSchemaRoot batch) {
    VectorSchemaRoot shared = VectorSchemaRoot.create(batch.getSchema(), allocator);
    try (ArrowRecordBatch buffers = new VectorUnloader(batch).getRecordBatch()) {
      new VectorLoader(shared).load(buffers);
    }
    return shared;
  }

  private interface TextSource {
    /// Fills the text and returns its length.
    int next();
  }

  private void strings(VarCharVector vector, int rows, TextSource source) {
    vector.allocateNew(rows * 24L, rows);
    for (int i = 0; i < rows; i++) {
      vector.setSafe(i, text, 0, source.next());
    }
  }

  private int digits() {
    return number(CUSTOMER, random.nextLong(100_000_000_000L), 11);
  }

  private int category() {
    return number(CATEGORY, random.nextInt(1000), 3);
  }

  private int number(byte[] prefix, long value, int digits) {
    System.arraycopy(prefix, 0, text, 0, prefix.length);
    long rest = value;
    for (int i = prefix.length + digits - 1; i >= prefix.length; i--) {
      text[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    return prefix.length + digits;
  }

  private int letters() {
    int length = 18 + random.nextInt(5);
    for (int i = 0; i < length; i++) {
      text[i] = LETTERS[random.nextInt(LETTERS.length)];
    }
    return length;
  }

  private void doubles(Float8Vector vector, int rows, int distinct) {
    vector.allocateNew(rows);
    for (int i = 0; i < rows; i++) {
      vector.set(i, random.nextInt(distinct) / 64.0);
    }
  }
}
