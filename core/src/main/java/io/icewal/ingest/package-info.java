/// From a client's Arrow batches to durable rows in the log.
///
/// What flows in: Arrow record batches in any lossless form, by column name. What flows out: rows
/// in canonical Arrow form by field id, handed to the log in groups; and for each batch one answer:
/// durable at a position, or verdicts that name row, column and rule.
///
/// The way of one batch:
///
/// 1. [IngestStream] matches the stream's Arrow schema to the table's fields once, in a `RowPlan`;
///    again only when the table's schema changes.
/// 2. The batch's bytes are admitted against one bound over all streams, or refused UNAVAILABLE.
/// 3. [RowValidator] converts column by column and collects verdicts.
/// 4. [GroupCommit] collects the batches of all streams of one log and appends them as one segment.
/// 5. The answer is given when the segment is durable.
///
/// Invariants: no batch is acknowledged before it is in the log. A bad row never reaches the log.
/// After any answer of a stream but an acknowledgement or verdicts nothing later on that stream is
/// acknowledged. Every Arrow buffer is closed exactly once, on every path.
@NullMarked
package io.icewal.ingest;

import org.jspecify.annotations.NullMarked;
