package io.icewal.trino.write;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.trino.spi.connector.ConnectorOutputTableHandle;

/// A CREATE TABLE AS of one of icewal's tables.
///
/// @param table that is being made
public record CreateHandle(@JsonProperty("table") LogTable table)
    implements ConnectorOutputTableHandle {}
