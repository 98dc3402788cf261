package io.icewal.spark.session;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import org.apache.spark.SparkThrowable;
import org.apache.spark.sql.AnalysisException;
import org.jspecify.annotations.Nullable;

/// Why a statement failed, in one line.
///
/// @param kind what to do about it
/// @param message Spark's own, without its plan
record StatementError(ErrorKind kind, String message) {
  /// How Spark begins a message that shows the statement, or the stack of a task.
  private static final String DETAILS =
      "\n== SQL|\n\tat |\n\nDriver stacktrace|\n'?[A-Z]\\w+ .*\n[+:]-";

  static StatementError of(Throwable error) {
    @Nullable SparkThrowable sparks = null;
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof IcewalException icewal) {
        return new StatementError(icewal.kind(), oneLine(String.valueOf(icewal.getMessage())));
      }
      if (cause instanceof SparkThrowable spark && spark.getCondition() != null) {
        sparks = spark; // The last is the first cause.
      }
    }
    if (sparks == null) {
      return new StatementError(ErrorKind.INTERNAL, oneLine(error.toString()));
    }
    String message =
        sparks instanceof AnalysisException analysis
            ? analysis.getSimpleMessage()
            : String.valueOf(((Throwable) sparks).getMessage());
    return new StatementError(kind(sparks), oneLine(message));
  }

  /// By the class of the SQL state: what is wrong with a statement, or with the values that it met.
  private static ErrorKind kind(SparkThrowable error) {
    String state = String.valueOf(error.getSqlState());
    return state.matches("(0A|2\\w|42|46|54|K0|P0).*") ? ErrorKind.INVALID : ErrorKind.INTERNAL;
  }

  private static String oneLine(String message) {
    return message.split(DETAILS, 2)[0].strip().replaceAll("\\s+", " ");
  }
}
