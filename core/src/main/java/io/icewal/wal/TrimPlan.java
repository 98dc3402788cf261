package io.icewal.wal;

import io.icewal.model.BlockKind;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.wal.TableState.Choice;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

/// What one trim round is to do: step (a), a function of the previous summary, the segments after
/// it, and what is known of the tables. No I/O.
///
/// @param number the new boundary's number
/// @param states what was decided for each table that has blocks, by its UUID; positions are known
/// @param toPark blocks up to the number that are to be moved aside
/// @param carried blocks that were parked before and stay so
/// @param dropped blocks that are given up
/// @param alarms tables whose position went back
record TrimPlan(
    long number,
    Map<UUID, TableState> states,
    List<BlockRef> toPark,
    List<BlockRef> carried,
    List<BlockRef> dropped,
    List<IcewalException> alarms) {

  static TrimPlan of(Summary before, SegmentRun run, Function<TableBlocks, TableState> tables) {
    List<IcewalException> alarms = new ArrayList<>();
    Map<UUID, TableState> states = new LinkedHashMap<>();
    for (TableBlocks blocks : tables(before, run)) {
      states.put(blocks.tableId(), decide(blocks, tables.apply(blocks), alarms));
    }
    long number = reach(run, states);
    List<BlockRef> toPark = new ArrayList<>();
    List<BlockRef> carried = new ArrayList<>();
    List<BlockRef> dropped = new ArrayList<>();
    for (BlockRef block : before.parked()) {
      sort(block, states, carried, carried, dropped);
    }
    for (SegmentFooter segment : run.segments()) {
      for (BlockRef block : segment.blocks()) {
        if (block.number() <= number && block.header().kind() != BlockKind.FLUSH) {
          sort(block, states, toPark, List.of(), dropped);
        }
      }
    }
    return new TrimPlan(number, states, toPark, carried, dropped, alarms);
  }

  private static List<TableBlocks> tables(Summary before, SegmentRun run) {
    Map<UUID, List<BlockRef>> parked = new LinkedHashMap<>();
    Map<UUID, List<BlockRef>> above = new LinkedHashMap<>();
    Map<UUID, String> names = new LinkedHashMap<>();
    for (BlockRef block : before.parked()) {
      names.put(block.header().tableId(), block.header().tableName());
      parked.computeIfAbsent(block.header().tableId(), id -> new ArrayList<>()).add(block);
    }
    for (SegmentFooter segment : run.segments()) {
      for (BlockRef block : segment.blocks()) {
        names.put(block.header().tableId(), block.header().tableName());
        above.computeIfAbsent(block.header().tableId(), id -> new ArrayList<>()).add(block);
      }
    }
    List<TableBlocks> tables = new ArrayList<>();
    names.forEach(
        (id, name) ->
            tables.add(
                new TableBlocks(
                    id,
                    name,
                    remembered(before, id),
                    parked.getOrDefault(id, List.of()),
                    above.getOrDefault(id, List.of()),
                    run.end())));
    return tables;
  }

  private static long remembered(Summary before, UUID id) {
    Summary.SeenTable seen = before.tablePositions().get(id);
    return seen == null ? 0 : seen.number();
  }

  private static TableState decide(
      TableBlocks blocks, TableState told, List<IcewalException> alarms) {
    if (told.position() < 0) {
      return new TableState(blocks.remembered(), told.choice());
    }
    if (told.position() < blocks.remembered() && told.choice() != Choice.DROP) {
      alarms.add(
          new IcewalException(
              ErrorKind.CORRUPT,
              "table "
                  + blocks.tableName()
                  + " ("
                  + blocks.tableId()
                  + ") is at position "
                  + told.position()
                  + " but was at "
                  + blocks.remembered()
                  + ": was its catalog restored from a backup? The rows in between are trimmed"));
      return TableState.at(told.position());
    }
    return told;
  }

  /// The largest number such that every block of every segment up to it is taken care of.
  private static long reach(SegmentRun run, Map<UUID, TableState> states) {
    long reached = run.after();
    for (SegmentFooter segment : run.segments()) {
      for (BlockRef block : segment.blocks()) {
        TableState state = stateOf(block, states);
        if (state.choice() == Choice.KEEP && state.position() < block.number()) {
          return reached;
        }
      }
      reached = segment.number();
    }
    return reached;
  }

  private static void sort(
      BlockRef block,
      Map<UUID, TableState> states,
      List<BlockRef> parked,
      List<BlockRef> kept,
      List<BlockRef> dropped) {
    TableState state = stateOf(block, states);
    if (block.number() > state.position()) {
      List<BlockRef> target =
          switch (state.choice()) {
            case PARK -> parked;
            case KEEP -> kept;
            case DROP -> dropped;
          };
      target.add(block);
    }
  }

  private static TableState stateOf(BlockRef block, Map<UUID, TableState> states) {
    TableState state = states.get(block.header().tableId());
    if (state == null) {
      throw new IllegalStateException("no state for " + block.describe());
    }
    return state;
  }
}
