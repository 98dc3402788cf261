package io.icewal.wal;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import io.icewal.model.ProducerSequence;
import io.icewal.model.RowBatch;
import io.icewal.wal.AppendOutcome.Appended;
import io.icewal.wal.AppendOutcome.Refused;
import io.icewal.wal.AppendOutcome.Repeat;
import io.icewal.wal.AppendOutcome.Unknown;
import io.icewal.wal.SegmentBuilder.EncodedBlock;
import io.icewal.wal.Summary.ProducerKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.IntFunction;
import org.apache.arrow.vector.FieldVector;

/// One group of batches on its way into one segment, over as many passes as that takes.
///
/// In each pass:
///
/// 1. [#dropRepeats]: each batch not answered yet is measured against the state, and against the
///    batches before it in the group: new ones are kept, repeats and forgotten ones answered.
/// 2. [#encode]: what is kept becomes blocks. A table's consecutive batches with equal headers form
///    one block; tables do not wait for each other. Frames are kept for the next pass.
/// 3. [#appended] or [#unknown] answers the kept ones, and the repeats of them.
///
/// Belongs to one append.
final class AppendGroup {
  /// A block is closed at this size, that of a usual flush, so that whoever reads it needs no more
  /// memory than this.
  static final long BLOCK_RAW_BYTES_MAX = 8L << 20;

  /// Batches that make one block.
  private static final class OpenBlock {
    final BlockHeader header;
    final List<Integer> members = new ArrayList<>();
    long rawBytes;
    long rows;

    OpenBlock(BlockHeader header) {
      this.header = header;
    }
  }

  private final List<AppendBatch> batches;

  /// Present if the first batch names the whole group: all of it is a repeat, or none.
  private final Optional<EarlierAttempts> earlier;

  private final AppendOutcome[] outcomes;
  private final Map<List<Integer>, EncodedBlock> encoded = new HashMap<>();
  private final FrameEncoder encoder;
  private final int[] blockOf;
  private final long[] firstRow;

  /// Kept ones point to themselves, repeats of them to the kept one, all others to -1.
  private final int[] keptAs;

  /// @param earlier of a group that its first batch names; empty where each batch has a name of its
  ///   own, or none
  AppendGroup(
      List<AppendBatch> batches,
      Optional<EarlierAttempts> earlier,
      FrameEncoder encoder,
      long rawBytesMax) {
    this.batches = List.copyOf(batches);
    this.earlier = earlier;
    checkNames();
    this.encoder = encoder;
    this.outcomes = new AppendOutcome[batches.size()];
    this.blockOf = new int[batches.size()];
    this.firstRow = new long[batches.size()];
    this.keptAs = new int[batches.size()];
    long rawBytes = 0;
    for (AppendBatch batch : batches) {
      checkColumns(batch);
      rawBytes += rawBytes(batch);
    }
    if (rawBytes > rawBytesMax) {
      throw new IllegalArgumentException(
          "a group of " + rawBytes + " bytes, at most " + rawBytesMax + ": stage larger writes");
    }
  }

  private void checkNames() {
    boolean named =
        batches.get(0).producer() != null
            && batches.stream().skip(1).allMatch(batch -> batch.producer() == null);
    if (earlier.isPresent() && !named) {
      throw new IllegalArgumentException("only the first batch names a group, and must do so");
    }
  }

  private static void checkColumns(AppendBatch batch) {
    RowBatch rows = batch.rows();
    int expected = batch.header().columns().columns().size();
    if (rows != null && rows.rows().getFieldVectors().size() != expected) {
      throw new IllegalArgumentException(
          "a batch has columns " + rows.rows().getSchema() + ", its header " + batch.header());
    }
  }

  private static long rawBytes(AppendBatch batch) {
    RowBatch rows = batch.rows();
    long bytes = 0;
    if (rows != null) {
      for (FieldVector vector : rows.rows().getFieldVectors()) {
        bytes += vector.getBufferSize();
      }
      bytes += rows.ops() == null ? 0 : rows.ops().getBufferSize();
    }
    return bytes;
  }

  /// Step 1.
  ///
  /// @param knownEnd the position that repeats are answered with
  /// @return whether anything is left to append
  boolean dropRepeats(LogState state, Position knownEnd) {
    Map<ProducerKey, Sequences> seen = new HashMap<>();
    Map<ProducerKey, Map<Long, Integer>> keptBy = new HashMap<>();
    boolean anyKept = false;
    for (int i = 0; i < outcomes.length; i++) {
      keptAs[i] = -1;
      if (outcomes[i] == null) {
        keptAs[i] = i;
        ProducerSequence producer = batches.get(i).producer();
        if (producer != null) {
          ProducerKey key = ProducerKey.of(batches.get(i).header().tableId(), producer);
          Sequences before = seen.computeIfAbsent(key, state::sequences);
          Map<Long, Integer> kept = keptBy.computeIfAbsent(key, added -> new HashMap<>());
          keptAs[i] = kept.getOrDefault(producer.sequence(), i);
          if (keptAs[i] == i) {
            judge(i, before, producer, knownEnd);
          }
          if (keptAs[i] == i && earlier.isPresent() && !state.remembers(earlier.get().since())) {
            judgeForgotten(i, producer, earlier.get(), knownEnd);
          }
          if (keptAs[i] == i) {
            kept.put(producer.sequence(), i);
            seen.put(key, before.with(producer.sequence()));
          }
        }
        anyKept |= keptAs[i] == i;
      }
    }
    if (earlier.isPresent() && keptAs[0] < 0) {
      Arrays.fill(keptAs, -1);
      Arrays.fill(outcomes, outcomes[0]);
      return false;
    }
    return anyKept;
  }

  /// Whether the state answers any batch.
  boolean hasRepeats(LogState state) {
    return batches.stream()
        .filter(batch -> batch.producer() != null)
        .anyMatch(
            batch -> {
              ProducerSequence producer = Objects.requireNonNull(batch.producer());
              ProducerKey key = ProducerKey.of(batch.header().tableId(), producer);
              return state.sequences(key).verdict(producer.sequence()) == Sequences.Verdict.SEEN;
            });
  }

  private void judge(int i, Sequences before, ProducerSequence producer, Position knownEnd) {
    switch (before.verdict(producer.sequence())) {
      case NEW -> {}
      case SEEN -> answer(i, new Repeat(knownEnd));
      case FORGOTTEN -> answer(i, new Refused(forgotten(batches.get(i), producer, before)));
    }
  }

  private void answer(int i, AppendOutcome outcome) {
    outcomes[i] = outcome;
    keptAs[i] = -1;
  }

  /// A name that is new to a state which may have forgotten it.
  private void judgeForgotten(
      int i, ProducerSequence producer, EarlierAttempts attempts, Position knownEnd) {
    switch (attempts.ifForgotten()) {
      case APPEND -> {}
      case SKIP -> answer(i, new Repeat(knownEnd));
      case REFUSE -> answer(i, new Refused(untold(batches.get(i), producer, attempts)));
    }
  }

  private static IcewalException untold(
      AppendBatch batch, ProducerSequence producer, EarlierAttempts attempts) {
    return new IcewalException(
        ErrorKind.UNKNOWN,
        "whether sequence "
            + producer.sequence()
            + " of producer "
            + producer.producer()
            + " is in table "
            + batch.header().tableName()
            + " is not known: it may have been stored from "
            + attempts.since()
            + " on, and the log has forgotten since what it got then. "
            + attempts.advice());
  }

  private static IcewalException forgotten(
      AppendBatch batch, ProducerSequence producer, Sequences before) {
    return new IcewalException(
        ErrorKind.INVALID,
        "sequence "
            + producer.sequence()
            + " of producer "
            + producer.producer()
            + " in table "
            + batch.header().tableName()
            + " is below "
            + before.knownFrom()
            + ", the first that is still known: whether it was stored cannot be told");
  }

  /// Step 2.
  List<EncodedBlock> encode() {
    List<EncodedBlock> blocks = new ArrayList<>();
    for (OpenBlock block : openBlocks()) {
      blocks.add(encoded.computeIfAbsent(block.members, members -> encode(block)));
    }
    return blocks;
  }

  private List<OpenBlock> openBlocks() {
    List<OpenBlock> blocks = new ArrayList<>();
    Map<UUID, Integer> openOf = new HashMap<>();
    for (int i = 0; i < keptAs.length; i++) {
      if (keptAs[i] == i) {
        AppendBatch batch = batches.get(i);
        Integer open = openOf.get(batch.header().tableId());
        if (open == null || !joins(blocks.get(open), batch)) {
          open = blocks.size();
          blocks.add(new OpenBlock(batch.header()));
          openOf.put(batch.header().tableId(), open);
        }
        OpenBlock block = blocks.get(open);
        blockOf[i] = open;
        firstRow[i] = block.rows;
        block.members.add(i);
        block.rows += batch.rowCount();
        block.rawBytes += rawBytes(batch);
      }
    }
    return blocks;
  }

  private boolean joins(OpenBlock block, AppendBatch batch) {
    return batch.staged() == null
        && batches.get(block.members.get(0)).staged() == null
        && block.header.equals(batch.header())
        && block.rawBytes + rawBytes(batch) <= BLOCK_RAW_BYTES_MAX;
  }

  private EncodedBlock encode(OpenBlock block) {
    List<AppendBatch> members = block.members.stream().map(batches::get).toList();
    List<BatchEntry> entries =
        members.stream().map(b -> new BatchEntry(b.producer(), b.rowCount())).toList();
    StagedBlock staged = members.get(0).staged();
    if (staged != null || !block.header.hasRows()) {
      BlockLocation location = staged == null ? null : staged.location();
      return new EncodedBlock(block.header, block.rows, entries, location, null, null);
    }
    List<RowBatch> rows = members.stream().map(AppendBatch::rows).filter(Objects::nonNull).toList();
    return BlockEncoder.encode(encoder, block.header, rows, entries);
  }

  /// Step 3: the kept ones are in a segment.
  void appended(Position position) {
    answer(i -> new Appended(position, blockOf[i], firstRow[i]), new Repeat(position));
  }

  /// Step 3: the kept ones may be in a segment.
  void unknown(IcewalException error) {
    answer(i -> new Unknown(error), new Unknown(error));
  }

  private void answer(IntFunction<AppendOutcome> kept, AppendOutcome repeats) {
    for (int i = 0; i < keptAs.length; i++) {
      if (keptAs[i] == i) {
        outcomes[i] = kept.apply(i);
      } else if (keptAs[i] >= 0) {
        outcomes[i] = repeats;
      }
    }
  }

  /// The staged blocks that this pass publishes.
  List<StagedBlock> staged() {
    List<StagedBlock> staged = new ArrayList<>();
    for (int i = 0; i < keptAs.length; i++) {
      StagedBlock block = batches.get(i).staged();
      if (keptAs[i] == i && block != null) {
        staged.add(block);
      }
    }
    return staged;
  }

  /// One outcome per batch; all must have been answered.
  List<AppendOutcome> outcomes() {
    return Arrays.stream(outcomes).map(Objects::requireNonNull).toList();
  }
}
