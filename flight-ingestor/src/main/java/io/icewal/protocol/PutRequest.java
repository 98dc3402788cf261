package io.icewal.protocol;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.ProducerSequence;
import java.util.List;
import java.util.Locale;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;

/// What a put stream is to do: its descriptor.
///
/// @param table the table
/// @param mode what happens to the good rows of a batch with bad ones
/// @param op what rows mean; null: as [PutOp#COLUMN] if the stream has a column `_op`, else as
///   [PutOp#UPSERT]
/// @param producer name of the producer, or null
/// @param sequence the first batch's sequence number, or null if each batch brings its own
public record PutRequest(
    TableIdentifier table,
    PutMode mode,
    @Nullable PutOp op,
    @Nullable String producer,
    @Nullable Long sequence) {
  private static final String WHAT = "put descriptor";

  public PutRequest {
    if (producer != null && !ProducerSequence.isProducer(producer)) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "member 'producer' of "
              + WHAT
              + " must have 1 to "
              + ProducerSequence.PRODUCER_CHARS_MAX
              + " characters of well-formed text, has "
              + producer.length());
    }
    if (sequence != null && producer == null) {
      throw new IcewalException(
          ErrorKind.INVALID, WHAT + " has 'sequence' without 'producer', which it belongs to");
    }
  }

  /// Upserts in mode reject, without a producer.
  public static PutRequest of(TableIdentifier table) {
    return new PutRequest(table, PutMode.REJECT, null, null, null);
  }

  public PutRequest withMode(PutMode newMode) {
    return new PutRequest(table, newMode, op, producer, sequence);
  }

  public PutRequest withOp(PutOp newOp) {
    return new PutRequest(table, mode, newOp, producer, sequence);
  }

  /// The same with a producer whose first batch has the given number.
  public PutRequest withProducer(String newProducer, long firstSequence) {
    return new PutRequest(table, mode, op, newProducer, firstSequence);
  }

  /// Reads a path descriptor.
  public static PutRequest ofPath(List<String> path) {
    return of(Json.table(path));
  }

  /// Reads a command descriptor.
  public static PutRequest parse(byte[] command) {
    JsonMembers members = Json.read(WHAT, command);
    PutMode mode = members.word("mode", PutMode.class);
    PutRequest request =
        new PutRequest(
            members.table(),
            mode == null ? PutMode.REJECT : mode,
            members.word("op", PutOp.class),
            members.text("producer"),
            members.count("sequence"));
    members.end();
    return request;
  }

  /// The command descriptor.
  public byte[] toJson() {
    ObjectNode object = Json.object();
    object.set("table", Json.table(table));
    object.put("mode", mode.name().toLowerCase(Locale.ROOT));
    if (op != null) {
      object.put("op", op.name().toLowerCase(Locale.ROOT));
    }
    if (producer != null) {
      object.put("producer", producer);
    }
    if (sequence != null) {
      object.put("sequence", sequence);
    }
    return Json.write(object);
  }
}
