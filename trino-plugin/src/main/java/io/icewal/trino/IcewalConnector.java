package io.icewal.trino;

import io.icewal.trino.ddl.CheckedMetadata;
import io.icewal.trino.ddl.LogProcedures;
import io.icewal.trino.ddl.TableProperties;
import io.icewal.trino.read.FreshPageSourceProviderFactory;
import io.icewal.trino.read.FreshSplitManager;
import io.icewal.trino.read.Pins;
import io.icewal.trino.services.StockServices;
import io.icewal.trino.services.Warehouse;
import io.icewal.trino.write.LogPageSinkProvider;
import io.icewal.trino.write.Publisher;
import io.trino.spi.connector.Connector;
import io.trino.spi.connector.ConnectorAccessControl;
import io.trino.spi.connector.ConnectorCapabilities;
import io.trino.spi.connector.ConnectorMetadata;
import io.trino.spi.connector.ConnectorNodePartitioningProvider;
import io.trino.spi.connector.ConnectorPageSinkProvider;
import io.trino.spi.connector.ConnectorPageSourceProviderFactory;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorSplitManager;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.SystemTable;
import io.trino.spi.connector.TableProcedureMetadata;
import io.trino.spi.function.FunctionProvider;
import io.trino.spi.function.table.ConnectorTableFunction;
import io.trino.spi.procedure.Procedure;
import io.trino.spi.session.PropertyMetadata;
import io.trino.spi.transaction.IsolationLevel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// trino-iceberg's connector with reads that see the log and writes that go into it. Owns both the
/// connector and the warehouse.
final class IcewalConnector implements Connector {
  private final Connector stock;
  private final Warehouse warehouse;
  private final Transactions transactions;
  private final ConnectorSplitManager splits;
  private final ConnectorPageSourceProviderFactory pages;
  private final ConnectorPageSinkProvider sinks;
  private final Publisher publisher;
  private final StockServices services;

  IcewalConnector(Connector stock, StockServices services, Warehouse warehouse) {
    this.stock = stock;
    this.warehouse = warehouse;
    this.services = services;
    this.publisher = new Publisher(warehouse.statements());
    this.sinks = new LogPageSinkProvider(stock.getPageSinkProvider(), warehouse, services);
    this.transactions = new Transactions(stock, warehouse, services);
    this.splits = new FreshSplitManager(stock.getSplitManager(), transactions::pins, warehouse);
    this.pages =
        new FreshPageSourceProviderFactory(
            stock.getPageSourceProviderFactory(), warehouse, services);
  }

  @Override
  public ConnectorTransactionHandle beginTransaction(
      IsolationLevel isolation, boolean readOnly, boolean autoCommit) {
    return stock.beginTransaction(isolation, readOnly, autoCommit);
  }

  @Override
  public ConnectorMetadata getMetadata(
      ConnectorSession session, ConnectorTransactionHandle transaction) {
    Pins pins = transactions.pins(transaction);
    return new IcewalMetadata(
        new CheckedMetadata(stock.getMetadata(session, transaction), pins, warehouse),
        pins,
        new KeylessMerge(stock, () -> transactions.inner(transaction), warehouse),
        publisher,
        services,
        warehouse);
  }

  @Override
  public ConnectorSplitManager getSplitManager() {
    return splits;
  }

  @Override
  public ConnectorPageSourceProviderFactory getPageSourceProviderFactory() {
    return pages;
  }

  @Override
  public ConnectorPageSinkProvider getPageSinkProvider() {
    return sinks;
  }

  @Override
  public ConnectorNodePartitioningProvider getNodePartitioningProvider() {
    return stock.getNodePartitioningProvider();
  }

  @Override
  public Set<SystemTable> getSystemTables() {
    return stock.getSystemTables();
  }

  @Override
  public Optional<FunctionProvider> getFunctionProvider() {
    return stock.getFunctionProvider();
  }

  @Override
  public Set<Procedure> getProcedures() {
    Set<Procedure> all = new HashSet<>(stock.getProcedures());
    all.addAll(new LogProcedures(warehouse).all());
    return all;
  }

  @Override
  public Set<TableProcedureMetadata> getTableProcedures() {
    return stock.getTableProcedures();
  }

  @Override
  public Set<ConnectorTableFunction> getTableFunctions() {
    return stock.getTableFunctions();
  }

  @Override
  public List<PropertyMetadata<?>> getSessionProperties() {
    List<PropertyMetadata<?>> all = new ArrayList<>(stock.getSessionProperties());
    all.addAll(SessionProperties.all());
    return all;
  }

  @Override
  public List<PropertyMetadata<?>> getSchemaProperties() {
    return stock.getSchemaProperties();
  }

  @Override
  public List<PropertyMetadata<?>> getAnalyzeProperties() {
    return stock.getAnalyzeProperties();
  }

  @Override
  public List<PropertyMetadata<?>> getBranchProperties() {
    return stock.getBranchProperties();
  }

  @Override
  public List<PropertyMetadata<?>> getTableProperties() {
    List<PropertyMetadata<?>> all = new ArrayList<>(stock.getTableProperties());
    all.addAll(TableProperties.all());
    return all;
  }

  @Override
  public List<PropertyMetadata<?>> getViewProperties() {
    return stock.getViewProperties();
  }

  @Override
  public List<PropertyMetadata<?>> getMaterializedViewProperties() {
    return stock.getMaterializedViewProperties();
  }

  @Override
  public List<PropertyMetadata<?>> getColumnProperties() {
    return stock.getColumnProperties();
  }

  @Override
  public ConnectorAccessControl getAccessControl() {
    return stock.getAccessControl();
  }

  @Override
  public Set<ConnectorCapabilities> getCapabilities() {
    return stock.getCapabilities();
  }

  @Override
  public boolean isSingleStatementWritesOnly() {
    return stock.isSingleStatementWritesOnly();
  }

  @Override
  public void commit(ConnectorTransactionHandle transaction) {
    transactions.commit(transaction);
  }

  @Override
  public void rollback(ConnectorTransactionHandle transaction) {
    transactions.rollback(transaction);
  }

  @Override
  public void shutdown() {
    try {
      stock.shutdown();
    } finally {
      warehouse.close();
    }
  }
}
