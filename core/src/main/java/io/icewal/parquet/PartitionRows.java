package io.icewal.parquet;

import org.apache.iceberg.PartitionData;

/// The rows of one partition within a batch, ascending.
public record PartitionRows(PartitionData partition, int[] rows) {}
