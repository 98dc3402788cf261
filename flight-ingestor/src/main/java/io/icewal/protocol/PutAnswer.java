package io.icewal.protocol;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import io.icewal.model.Verdict;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The answer on one batch: the `app_metadata` of its PutResult.
///
/// @param status the outcome
/// @param rows how many of the batch's rows are durable
/// @param position a read that asks for at least this position sees those rows; null if none was
///   stored
/// @param verdicts the bad rows, up to a limit
/// @param more how many bad rows are not named
/// @param sequence the batch's number, if its sender gave one
public record PutAnswer(
    PutStatus status,
    long rows,
    @Nullable Position position,
    List<Verdict> verdicts,
    long more,
    @Nullable Long sequence) {
  public PutAnswer {
    verdicts = List.copyOf(verdicts);
  }

  public byte[] toJson() {
    ObjectNode object = Json.object();
    object.put("status", status.name().toLowerCase(Locale.ROOT));
    object.put("rows", rows);
    object.put("position", position == null ? null : position.toString());
    object.set("verdicts", VerdictJson.write(verdicts));
    object.put("more", more);
    if (sequence != null) {
      object.put("sequence", sequence);
    }
    return Json.write(object);
  }

  /// Reads an answer. Members that it does not know are passed over: an answer may learn new ones.
  public static PutAnswer parse(byte[] text) {
    JsonMembers members = Json.read("answer", text);
    String position = members.text("position");
    PutStatus status = members.word("status", PutStatus.class);
    Long rows = members.count("rows");
    Long more = members.count("more");
    if (status == null || rows == null) {
      throw new IcewalException(ErrorKind.INTERNAL, "answer without 'status' or 'rows'");
    }
    return new PutAnswer(
        status,
        rows,
        position == null ? null : Position.parse(position),
        VerdictJson.readAll(members.value("verdicts")),
        more == null ? 0 : more,
        members.count("sequence"));
  }
}
