package io.icewal.flight;

import io.icewal.ingest.TableSchemas;
import io.icewal.model.IcewalException;
import io.icewal.protocol.AdoptRequest;
import io.icewal.protocol.TableAdoption;
import io.icewal.table.Adoption;
import io.icewal.table.AdoptionReport;
import io.icewal.table.AdoptionRequest;
import io.icewal.table.IcewalTables;
import io.icewal.table.TablePosition;
import io.icewal.table.TableStart;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;

/// Action `icewal.adopt_table`. Thread-safe.
final class AdoptAction {
  private final IcewalTables tables;
  private final Adoption adoption;
  private final LogEnds logEnds;
  private final TableSchemas schemas;
  private final Consumer<String> checkLocation;

  /// @param schemas what ingestion remembers of tables
  /// @param checkLocation refuses a location among the log's files
  AdoptAction(
      IcewalTables tables,
      Adoption adoption,
      LogEnds logEnds,
      TableSchemas schemas,
      Consumer<String> checkLocation) {
    this.tables = tables;
    this.adoption = adoption;
    this.logEnds = logEnds;
    this.schemas = schemas;
    this.checkLocation = checkLocation;
  }

  byte[] run(byte[] body) {
    AdoptRequest wanted = AdoptRequest.parse(body);
    Table table = tables.load(wanted.table());
    checkLocation.accept(table.location());
    TableStart.PATHS.stream()
        .map(table.properties()::get)
        .filter(Objects::nonNull)
        .forEach(checkLocation);
    AdoptionRequest request =
        new AdoptionRequest(wanted.table(), wanted.key(), wanted.requiresKey());
    long oldRows = oldRows(table);
    AdoptionReport report =
        wanted.dryRun() ? adoption.check(request, logEnds) : adoption.adopt(request, logEnds);
    schemas.forget(wanted.table());
    return answer(wanted.table(), report, oldRows).toJson();
  }

  /// Rows that are in the log for the table as it was before it was replaced.
  private long oldRows(Table table) {
    try {
      Optional<TablePosition> old = TablePosition.read(table);
      return old.isEmpty() || !old.get().tableId().equals(table.uuid())
          ? 0
          : logEnds.rowsAfter(table.uuid(), old.get().position());
    } catch (IcewalException e) {
      if (e.kind() != io.icewal.model.ErrorKind.CORRUPT) {
        throw e;
      }
      return 0; // The property cannot be read: the adoption refuses the table and says so.
    }
  }

  private static TableAdoption answer(TableIdentifier name, AdoptionReport report, long oldRows) {
    List<String> warnings = new ArrayList<>(report.warnings());
    boolean begins =
        report.outcome() == AdoptionReport.Outcome.ADOPTED
            || report.outcome() == AdoptionReport.Outcome.POSSIBLE;
    if (begins && oldRows > 0) {
      warnings.add(
          oldRows + " rows that the log has of the table from before it was replaced are given up");
    }
    return new TableAdoption(
        name,
        report.outcome().name().toLowerCase(Locale.ROOT),
        report.key(),
        report.position(),
        report.changes(),
        report.refusals(),
        warnings,
        report.dataFiles(),
        report.rows());
  }
}
