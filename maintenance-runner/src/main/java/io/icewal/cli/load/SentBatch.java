package io.icewal.cli.load;

import io.icewal.cli.json.LineBatch;
import io.icewal.model.Verdict;
import io.icewal.protocol.PutAnswer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// A batch of lines whose answer is awaited.
///
/// @param sent for each row that was sent, its line's index in the batch
/// @param verdicts on the lines that were not sent, by line index
/// @param answer on the rows that were sent
record SentBatch(
    LineBatch batch, int[] sent, List<Verdict> verdicts, CompletableFuture<PutAnswer> answer) {}
