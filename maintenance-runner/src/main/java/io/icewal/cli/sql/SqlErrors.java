package io.icewal.cli.sql;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.trino.jdbc.$internal.client.ErrorInfo;
import io.trino.jdbc.$internal.client.FailureException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What Trino's driver throws, as an error of icewal's that says what to do.
///
/// The name of Trino's code is only in a class of the driver's own, which is why its version is
/// that of the server.
final class SqlErrors {
  private static final Pattern FAILED =
      Pattern.compile("Query failed \\(#(\\S+)\\): (.*)", Pattern.DOTALL);

  private SqlErrors() {}

  /// Of the first question to a server, which changes nothing.
  static IcewalException ofConnecting(Exception error, String url) {
    if (error instanceof SQLException sql && info(sql) != null) {
      return of(sql, "", /* read= */ true);
    }
    return new IcewalException(
        ErrorKind.UNAVAILABLE,
        "no Trino server answers at " + url + ": " + error.getMessage(),
        error);
  }

  /// Of a statement that was to be cancelled, whatever the driver then said.
  ///
  /// @param where as in [#of]
  /// @param read as in [#of]
  static IcewalException ofCancelled(SQLException error, String where, boolean read) {
    return new IcewalException(
        read ? ErrorKind.UNAVAILABLE : ErrorKind.UNKNOWN,
        where + "cancelled" + (read ? "" : "; whether the statement took effect is not known"),
        error);
  }

  /// @param where what goes before the message, such as `statement 2 of 3: `
  /// @param read whether rows of the result had come already, so that it was no write
  static IcewalException of(SQLException error, String where, boolean read) {
    ErrorInfo info = info(error);
    if (info != null) {
      return new IcewalException(kind(info), where + info.getName() + ": " + message(error), error);
    }
    if (isUnreachable(error)) {
      return new IcewalException(ErrorKind.UNAVAILABLE, where + error.getMessage(), error);
    }
    return new IcewalException(
        read ? ErrorKind.UNAVAILABLE : ErrorKind.UNKNOWN,
        where
            + error.getMessage()
            + (read ? "" : "; whether the statement took effect is not known"),
        error);
  }

  /// Trino's own, with its place in the statement where there is one: `line 1:8: …`.
  private static String message(SQLException error) {
    Matcher failed = FAILED.matcher(String.valueOf(error.getMessage()));
    return failed.matches()
        ? failed.group(2) + " (query " + failed.group(1) + ")"
        : String.valueOf(error.getMessage());
  }

  private static ErrorKind kind(ErrorInfo info) {
    return switch (info.getName()) {
      case "TRANSACTION_CONFLICT" -> ErrorKind.CONFLICT;
      case "ICEWAL_OUTCOME_UNKNOWN" -> ErrorKind.UNKNOWN;
      case "ICEWAL_CORRUPT" -> ErrorKind.CORRUPT;
      default ->
          switch (info.getType()) {
            case "USER_ERROR" -> ErrorKind.INVALID;
            case "INTERNAL_ERROR" -> ErrorKind.INTERNAL;
            default -> ErrorKind.UNAVAILABLE;
          };
    };
  }

  private static @Nullable ErrorInfo info(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof FailureException failure) {
        return failure.getFailureInfo().getErrorInfo();
      }
    }
    return null;
  }

  private static boolean isUnreachable(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof ConnectException || cause instanceof UnknownHostException) {
        return true;
      }
    }
    return false;
  }
}
