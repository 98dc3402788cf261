package io.icewal.spark.read;

import org.apache.spark.sql.connector.read.InputPartition;

/// Rows that the tail adds.
///
/// @param piece which, in the bytes of [io.icewal.read.TailPiece]
@SuppressWarnings("ArrayRecordComponent") // Compared by nobody.
record TailPartition(byte[] piece) implements InputPartition {}
