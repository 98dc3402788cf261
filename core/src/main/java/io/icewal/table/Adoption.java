package io.icewal.table;

import io.icewal.merge.KeyColumns;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.LogName;
import io.icewal.model.Position;
import io.icewal.model.Verdict;
import io.icewal.table.AdoptionReport.Outcome;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;

/// Takes over tables that other engines made, and those of ours that were replaced: they begin at
/// the end of their log, with the rows that they have.
///
/// 1. Load the table. If its position is valid, it is adopted: with the same key that is success.
/// 2. Judge its metadata ([AdoptionPlan]), then its live files ([AdoptionFiles]): anything in the
///    way is a refusal, with what was seen and what is expected.
/// 3. Ask for the end of the log, and commit format version, properties, key, an empty snapshot and
///    the position over the very metadata that was judged ([AdoptionCommit]).
/// 4. If the table has changed in between, again from 1. Files that were read are not read again,
///    as long as other engines only add to them.
///
/// What the log had of the table before its end is no longer read: rows of a table that was
/// replaced. Any number of adoptions of one table may run at once. Thread-safe.
public final class Adoption {
  /// Times that the table may change under the look at it.
  private static final int ATTEMPTS_MAX = 20;

  private final IcewalTables tables;
  private final AdoptionServices services;
  private final UnaryOperator<Table> loaded;

  /// @param allocator for the key columns of one batch at a time
  /// @param spillFolder where sorted keys go that do not fit into memory
  public Adoption(IcewalTables tables, BufferAllocator allocator, Path spillFolder) {
    this(
        tables,
        new AdoptionServices(allocator, spillFolder, KeyCensus.BYTES_MAX_DEFAULT),
        UnaryOperator.identity());
  }

  /// @param loaded what a test puts around each table that was loaded
  Adoption(IcewalTables tables, AdoptionServices services, UnaryOperator<Table> loaded) {
    this.tables = tables;
    this.services = services;
    this.loaded = loaded;
  }

  /// The command that adopts a table, for messages.
  public static String command(TableIdentifier table) {
    return "icewal table adopt " + table;
  }

  /// Looks whether the table can be adopted, and changes nothing.
  ///
  /// @param logEnd the end of the log that a table with the given UUID belongs to
  /// @throws IcewalException INVALID if there is no such table; UNAVAILABLE; CORRUPT
  public AdoptionReport check(AdoptionRequest request, Function<UUID, Position> logEnd) {
    try (AdoptionFiles files = new AdoptionFiles(services)) {
      Table table = load(request);
      return look(table, AdoptionPlan.of(table, request), request, files, logEnd);
    }
  }

  /// Adopts the table, if nothing is in the way and it is not adopted already.
  ///
  /// @param logEnd the end of the log that a table with the given UUID belongs to; asked after all
  ///   looking, before each commit
  /// @throws IcewalException INVALID with a verdict for each reason if it cannot be adopted;
  ///   CONFLICT if other commits were always faster; UNKNOWN; UNAVAILABLE; CORRUPT
  public AdoptionReport adopt(AdoptionRequest request, Function<UUID, Position> logEnd) {
    try (AdoptionFiles files = new AdoptionFiles(services)) {
      String last = "";
      for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
        Table table = load(request);
        AdoptionPlan plan = AdoptionPlan.of(table, request);
        AdoptionReport report = look(table, plan, request, files, logEnd);
        if (report.outcome() == Outcome.REFUSED) {
          throw refused(request, report.refusals());
        }
        if (report.outcome() == Outcome.ADOPTED_BEFORE) {
          return report;
        }
        Position end = logEnd.apply(table.uuid());
        String change = new AdoptionCommit(table, plan).attempt(end);
        if (change == null) {
          return report(tables.load(request.table()), Outcome.ADOPTED, plan, files, end, List.of());
        }
        last = change;
      }
      throw new IcewalException(
          ErrorKind.CONFLICT,
          "table "
              + request.table()
              + " changed under each of "
              + ATTEMPTS_MAX
              + " looks at it, last: "
              + last
              + "; adopt it while other engines do not write to it");
    }
  }

  private Table load(AdoptionRequest request) {
    return loaded.apply(tables.load(request.table()));
  }

  private AdoptionReport look(
      Table table,
      AdoptionPlan plan,
      AdoptionRequest request,
      AdoptionFiles files,
      Function<UUID, Position> logEnd) {
    TablePosition adopted = plan.adopted();
    if (adopted != null) {
      List<Verdict> refusals = adoptedOtherwise(table, request, adopted, logEnd);
      Outcome outcome = refusals.isEmpty() ? Outcome.ADOPTED_BEFORE : Outcome.REFUSED;
      return report(table, outcome, plan, files, adopted.position(), refusals);
    }
    List<Verdict> refusals = new ArrayList<>(plan.refusals());
    Optional<KeyColumns> key = plan.key();
    if (key.isPresent() && plan.isReadable()) {
      refusals.addAll(files.check(table, key.get()));
    }
    Outcome outcome = refusals.isEmpty() ? Outcome.POSSIBLE : Outcome.REFUSED;
    return report(table, outcome, plan, files, null, refusals);
  }

  /// A table that is adopted is so with one key and in one log.
  private static List<Verdict> adoptedOtherwise(
      Table table,
      AdoptionRequest request,
      TablePosition adopted,
      Function<UUID, Position> logEnd) {
    List<Verdict> refusals = new ArrayList<>();
    Set<String> key = new TreeSet<>(table.schema().identifierFieldNames());
    if (request.key() != null && !key.equals(new TreeSet<>(request.key()))) {
      refusals.add(
          new Verdict(
              -1,
              "",
              "adopted",
              key.toString(),
              "the table is adopted already, with key "
                  + key
                  + ", not "
                  + request.key()
                  + "; to change it, flush the table, set its identifier fields, and adopt it"
                  + " again"));
    }
    LogName log = logEnd.apply(table.uuid()).log();
    if (!adopted.position().log().equals(log)) {
      refusals.add(
          new Verdict(
              -1,
              "",
              "adopted",
              adopted.position().toString(),
              "the table is adopted already, in log "
                  + adopted.position().log()
                  + ", not "
                  + log
                  + "; if that log is given up with all its rows, remove the table property "
                  + TablePosition.PROPERTY));
    }
    return refusals;
  }

  private static AdoptionReport report(
      Table table,
      Outcome outcome,
      AdoptionPlan plan,
      AdoptionFiles files,
      @Nullable Position position,
      List<Verdict> refusals) {
    boolean changes = outcome == Outcome.ADOPTED || outcome == Outcome.POSSIBLE;
    return new AdoptionReport(
        table,
        outcome,
        plan.keyNames(),
        position,
        changes ? plan.changes() : List.of(),
        refusals,
        changes ? plan.warnings() : List.of(),
        files.dataFiles(),
        files.rows());
  }

  private static IcewalException refused(AdoptionRequest request, List<Verdict> refusals) {
    return new IcewalException(
        "table "
            + request.table()
            + " cannot be adopted: "
            + refusals.stream().map(Verdict::message).collect(Collectors.joining("; ")),
        refusals);
  }
}
