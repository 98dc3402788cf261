package io.icewal.trino.write;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.trino.spi.connector.ConnectorInsertTableHandle;

/// An INSERT that goes into the log.
///
/// @param table where to
public record InsertHandle(@JsonProperty("table") LogTable table)
    implements ConnectorInsertTableHandle {}
