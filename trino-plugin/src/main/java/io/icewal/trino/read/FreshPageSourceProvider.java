package io.icewal.trino.read;

import io.icewal.merge.KeyColumns;
import io.icewal.model.IcewalException;
import io.icewal.read.HiddenRowsCache;
import io.icewal.read.KeySlice;
import io.icewal.read.TailPiece;
import io.icewal.table.TablePosition;
import io.icewal.trino.services.IcewalErrorCode;
import io.icewal.trino.services.StockServices;
import io.icewal.trino.services.Warehouse;
import io.trino.plugin.iceberg.IcebergColumnHandle;
import io.trino.plugin.iceberg.IcebergFileFormat;
import io.trino.plugin.iceberg.IcebergSplit;
import io.trino.plugin.iceberg.IcebergTableCredentials;
import io.trino.plugin.iceberg.IcebergTableHandle;
import io.trino.plugin.iceberg.IcebergUtil;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.ConnectorPageSourceProvider;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.connector.ConnectorTableCredentials;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.DynamicFilter;
import io.trino.spi.connector.MemoryContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.io.FileIO;

/// Reads splits on a worker. Thread-safe.
public final class FreshPageSourceProvider implements ConnectorPageSourceProvider {
  private final ConnectorPageSourceProvider stock;
  private final Warehouse warehouse;
  private final StockServices services;
  private final HiddenRowsCache hiddenRows;

  FreshPageSourceProvider(
      ConnectorPageSourceProvider stock,
      Warehouse warehouse,
      StockServices services,
      HiddenRowsCache hiddenRows) {
    this.stock = stock;
    this.warehouse = warehouse;
    this.services = services;
    this.hiddenRows = hiddenRows;
  }

  @Override
  public ConnectorPageSource createPageSource(
      ConnectorTransactionHandle transaction,
      ConnectorSession session,
      ConnectorSplit split,
      ConnectorTableHandle table,
      Optional<ConnectorTableCredentials> credentials,
      List<ColumnHandle> columns,
      DynamicFilter dynamicFilter,
      MemoryContext memory) {
    for (int i = 0; i < columns.size(); i++) {
      if (KeyRowId.isRowId(columns.get(i))) {
        List<ColumnHandle> rest = new ArrayList<>(columns);
        rest.remove(i);
        SourceColumns source = new SourceColumns(rest);
        int[] key = source.channels(rowId((IcebergTableHandle) table).fields());
        ConnectorPageSource pages =
            createPageSource(
                transaction,
                session,
                split,
                table,
                credentials,
                source.all(),
                dynamicFilter,
                memory);
        return new RowIdPageSource(pages, i, columns.size(), key);
      }
    }
    try {
      return switch (split) {
        case TailSplit tail -> tail(tail, (IcebergTableHandle) table, columns);
        case BaseSplit base -> {
          FilePages pages =
              (file, wanted) ->
                  stock.createPageSource(
                      transaction,
                      session,
                      file,
                      table,
                      credentials,
                      wanted,
                      dynamicFilter,
                      memory);
          FileIO io = services.files(session, (IcebergTableCredentials) credentials.orElseThrow());
          yield base(base, (IcebergTableHandle) table, columns, pages, io);
        }
        default ->
            stock.createPageSource(
                transaction, session, split, table, credentials, columns, dynamicFilter, memory);
      };
    } catch (IcewalException e) {
      throw IcewalErrorCode.of(e);
    }
  }

  private KeyRowId rowId(IcebergTableHandle table) {
    return KeyRowId.of(SchemaParser.fromJson(table.getTableSchemaJson()), services.types());
  }

  /// trino-iceberg's pages of a file.
  @FunctionalInterface
  private interface FilePages {
    ConnectorPageSource open(IcebergSplit file, List<ColumnHandle> columns);
  }

  private ConnectorPageSource tail(
      TailSplit split, IcebergTableHandle table, List<ColumnHandle> columns) {
    List<IcebergColumnHandle> wanted =
        columns.stream().map(IcebergColumnHandle.class::cast).toList();
    TailPredicate predicate = new TailPredicate(table.getEnforcedPredicate());
    List<IcebergColumnHandle> needed = new ArrayList<>(wanted);
    needed.addAll(predicate.columns());
    Schema schema = SchemaParser.fromJson(table.getTableSchemaJson());
    String position =
        Objects.requireNonNull(table.getStorageProperties().get(TablePosition.PROPERTY));
    BufferAllocator allocator =
        warehouse.allocator().newChildAllocator("tail split", 0, Long.MAX_VALUE);
    TailPiece.Rows rows =
        TailPiece.fromBytes(split.piece())
            .open(
                warehouse.reader(TablePosition.parse(position).position().log()),
                TailColumnReader.columns(schema, needed),
                allocator);
    return new TailPageSource(rows, wanted, predicate, allocator);
  }

  private ConnectorPageSource base(
      BaseSplit split,
      IcebergTableHandle table,
      List<ColumnHandle> columns,
      FilePages pages,
      FileIO io) {
    Schema schema = SchemaParser.fromJson(table.getTableSchemaJson());
    KeyColumns key = KeyColumns.of(schema);
    SourceColumns wanted = new SourceColumns(columns);
    if (split.file().fileFormat() != IcebergFileFormat.PARQUET) {
      KeyedPages keyed = KeyedPages.of(schema, key, services.types(), wanted);
      KeySlice slice = KeySlice.fromBytes(split.keys());
      return new HidingPageSource(
          pages.open(split.file(), wanted.all()),
          columns.size(),
          new HiddenKeys(keyed, slice, warehouse.allocator()));
    }
    FilePart part =
        new FilePart(split, table, schema, key, services.types(), io, warehouse.keyPages());
    long[] hidden = part.hidden(hiddenRows);
    if (hidden.length == 0) {
      return pages.open(split.file(), columns);
    }
    if (columns.isEmpty() && table.getUnenforcedPredicate().isAll() && part.isCountable()) {
      return CountedPages.of(part.shown(hidden));
    }
    int row =
        wanted.channel(IcebergUtil.getColumnHandle(MetadataColumns.ROW_POSITION, services.types()));
    return new HidingPageSource(
        pages.open(split.file(), wanted.all()), columns.size(), new HiddenNumbers(hidden, row));
  }

  @Override
  public long getMemoryUsage() {
    return stock.getMemoryUsage();
  }
}
