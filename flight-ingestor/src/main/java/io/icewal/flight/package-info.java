/// The ingestor: an Arrow Flight server over core's `ingest` and `read`.
///
/// In flow Flight calls. A put stream goes through [PutCall] into the `Ingestor`, is grouped with
/// all others into segments of the log by one thread for each log ([LogThreads]), and its answers
/// flow back in order. Reads are fresh scans, streamed ([ReadStreams]); tables are managed by
/// actions ([TableActions]). [IngestServer] ties it together; [IngestModule] wires it.
///
/// Invariants: a batch is answered `ok` only once it is durable; nothing is acknowledged on a
/// stream after a batch that was not; a client that goes away leaves no buffer and no thread
/// behind.
@NullMarked
package io.icewal.flight;

import org.jspecify.annotations.NullMarked;
