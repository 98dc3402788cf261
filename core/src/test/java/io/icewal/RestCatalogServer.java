package io.icewal;

import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.rest.RESTCatalogAdapter;
import org.apache.iceberg.rest.RESTCatalogServlet;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/// Iceberg's REST catalog as its own tests serve it, over another catalog, on a free port of
/// 127.0.0.1.
public final class RestCatalogServer implements AutoCloseable {
  private final Server server = new Server();
  private final ServerConnector connector = new ServerConnector(server);

  public RestCatalogServer(Catalog catalog) throws Exception {
    // It logs each answer that something is not there, with a stack.
    System.setProperty("org.slf4j.simpleLogger.log." + RESTCatalogServlet.class.getName(), "off");
    ServletContextHandler context = new ServletContextHandler();
    context.addServlet(
        new ServletHolder(new RESTCatalogServlet(new RESTCatalogAdapter(catalog))), "/*");
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    server.setHandler(context);
    server.start();
  }

  public String uri() {
    return "http://127.0.0.1:" + connector.getLocalPort();
  }

  @Override
  public void close() throws Exception {
    server.stop();
  }
}
