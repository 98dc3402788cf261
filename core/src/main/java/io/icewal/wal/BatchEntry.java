package io.icewal.wal;

import io.icewal.model.ProducerSequence;
import org.jspecify.annotations.Nullable;

/// One appended batch within a block.
///
/// @param producer who sent it, or null if it came without a sequence
/// @param rows how many of the block's rows are its own; batches lie one after the other
public record BatchEntry(@Nullable ProducerSequence producer, int rows) {}
