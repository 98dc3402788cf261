package io.icewal.model;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/// The answer on one bad row, or on a whole batch.
///
/// @param row index within the batch from 0, or -1 when the whole batch is meant
/// @param column the column's dotted path as the sender named it, or empty when no column is meant
/// @param rule short stable name of the rule that was broken, such as `not-null`
/// @param value the offending value as text, cut to 100 characters; null when there is none
/// @param message a sentence that tells the sender what was seen and what is expected
public record Verdict(long row, String column, String rule, @Nullable String value, String message)
    implements Serializable {}
