package io.icewal.trino;

import static io.trino.spi.session.PropertyMetadata.booleanProperty;
import static io.trino.spi.session.PropertyMetadata.stringProperty;

import io.icewal.model.Position;
import io.icewal.trino.read.ReadWish;
import io.icewal.trino.services.IcewalErrorCode;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.session.PropertyMetadata;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// icewal's own session properties.
final class SessionProperties {
  private static final String FRESH = "fresh";
  private static final String AT_LEAST_POSITION = "at_least_position";

  private SessionProperties() {}

  static List<PropertyMetadata<?>> all() {
    return List.of(
        booleanProperty(
            FRESH,
            "Whether rows are read that are in the log and not yet in an Iceberg snapshot",
            true,
            false),
        stringProperty(
            AT_LEAST_POSITION,
            "A position of the log: reads see everything up to it, or fail",
            null,
            SessionProperties::checkPosition,
            false));
  }

  private static void checkPosition(@Nullable String text) {
    try {
      position(text);
    } catch (io.icewal.model.IcewalException e) {
      throw IcewalErrorCode.of(e);
    }
  }

  private static @Nullable Position position(@Nullable String text) {
    return text == null || text.isEmpty() ? null : Position.parse(text);
  }

  static ReadWish wish(ConnectorSession session) {
    return new ReadWish(
        session.getProperty(FRESH, Boolean.class),
        position(session.getProperty(AT_LEAST_POSITION, String.class)));
  }
}
