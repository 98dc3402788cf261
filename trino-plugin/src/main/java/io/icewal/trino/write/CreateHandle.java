package io.icewal.trino.write;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.trino.spi.connector.ConnectorOutputTableHandle;

/// A CREATE TABLE AS whose rows go into the log.
///
/// @param table that is being made
public record CreateHandle(@JsonProperty("table") LogTable table)
    implements ConnectorOutputTableHandle {}
