package io.icewal.spark.ddl;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.spark.sql.catalyst.analysis.NamespaceAlreadyExistsException;
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException;
import org.apache.spark.sql.connector.catalog.NamespaceChange;

/// A catalog's namespaces, as Spark asks for them. Thread-safe if the catalog is.
public final class Namespaces {
  private final SupportsNamespaces catalog;

  public Namespaces(SupportsNamespaces catalog) {
    this.catalog = catalog;
  }

  public boolean exists(String[] name) {
    return catalog.namespaceExists(Namespace.of(name));
  }

  public String[][] list() {
    return levels(catalog.listNamespaces());
  }

  public String[][] list(String[] parent) throws NoSuchNamespaceException {
    try {
      return levels(catalog.listNamespaces(Namespace.of(parent)));
    } catch (org.apache.iceberg.exceptions.NoSuchNamespaceException e) {
      throw new NoSuchNamespaceException(parent);
    }
  }

  private static String[][] levels(List<Namespace> namespaces) {
    return namespaces.stream().map(Namespace::levels).toArray(String[][]::new);
  }

  public Map<String, String> properties(String[] name) throws NoSuchNamespaceException {
    try {
      return catalog.loadNamespaceMetadata(Namespace.of(name));
    } catch (org.apache.iceberg.exceptions.NoSuchNamespaceException e) {
      throw new NoSuchNamespaceException(name);
    }
  }

  public void create(String[] name, Map<String, String> properties)
      throws NamespaceAlreadyExistsException {
    try {
      catalog.createNamespace(Namespace.of(name), properties);
    } catch (AlreadyExistsException e) {
      throw new NamespaceAlreadyExistsException(name);
    }
  }

  public void alter(String[] name, NamespaceChange... changes) throws NoSuchNamespaceException {
    Map<String, String> set = new HashMap<>();
    Set<String> removed = new HashSet<>();
    for (NamespaceChange change : changes) {
      if (change instanceof NamespaceChange.SetProperty property) {
        set.put(property.property(), property.value());
      } else if (change instanceof NamespaceChange.RemoveProperty property) {
        removed.add(property.property());
      } else {
        throw new UnsupportedOperationException("icewal cannot apply the change " + change);
      }
    }
    try {
      if (!set.isEmpty()) {
        catalog.setProperties(Namespace.of(name), set);
      }
      if (!removed.isEmpty()) {
        catalog.removeProperties(Namespace.of(name), removed);
      }
    } catch (org.apache.iceberg.exceptions.NoSuchNamespaceException e) {
      throw new NoSuchNamespaceException(name);
    }
  }

  public boolean drop(String[] name) throws NoSuchNamespaceException {
    try {
      return catalog.dropNamespace(Namespace.of(name));
    } catch (org.apache.iceberg.exceptions.NoSuchNamespaceException e) {
      throw new NoSuchNamespaceException(name);
    }
  }
}
