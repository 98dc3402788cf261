package io.icewal.config;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.storage.LocalFileIO;
import io.icewal.storage.LocalObjectStore;
import io.icewal.storage.ObjectStore;
import io.icewal.storage.s3.S3ObjectStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Where things lie, compared across the ways to write it.
final class Locations {
  private Locations() {}

  static void requireLogRoot(String logRoot) {
    boolean s3 = logRoot.matches("s3://[^/]+(/.*)?");
    if (!s3 && !LocalFileIO.isLocal(logRoot)) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "'log.root' is '" + logRoot + "'; expected an absolute folder or s3://bucket/path");
    }
  }

  /// Refuses two locations of which one lies within the other. A warehouse may be a name that only
  /// its catalog understands; such a one is not compared.
  static void requireApart(String logRoot, String other, String otherName) {
    String log = comparable(logRoot);
    String rest = comparable(other);
    if (log.isEmpty() || rest.isEmpty()) {
      return;
    }
    if (log.startsWith(rest) || rest.startsWith(log)) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "the log root "
              + logRoot
              + " and "
              + otherName
              + " lie within each other ("
              + log
              + ", "
              + rest
              + "); engines that clean up tables would delete the log: put it apart");
    }
  }

  static ObjectStore openStore(String logRoot, Map<String, String> catalogProperties) {
    if (LocalFileIO.isLocal(logRoot)) {
      return LocalObjectStore.open(LocalFileIO.path(logRoot));
    }
    return S3ObjectStore.open(logRoot, catalogProperties);
  }

  /// One text for one place, with a slash at its end; empty for what is no place.
  private static String comparable(String location) {
    if (LocalFileIO.isLocal(location)) {
      return "file:" + withSlash(real(LocalFileIO.path(location)).toString());
    }
    if (location.matches("s3[an]?://.*")) {
      return withSlash("s3://" + location.substring(location.indexOf("://") + 3));
    }
    return location.contains("://") ? withSlash(location) : "";
  }

  /// The path with all links followed, as far as it exists.
  private static Path real(Path path) {
    Path existing = path;
    while (!Files.exists(existing)) {
      @Nullable Path parent = existing.getParent();
      if (parent == null) {
        return path;
      }
      existing = parent;
    }
    try {
      return existing.toRealPath().resolve(existing.relativize(path));
    } catch (IOException e) {
      return path; // May not be looked at: compared as it is written.
    }
  }

  private static String withSlash(String location) {
    return location.endsWith("/") ? location : location + "/";
  }
}
