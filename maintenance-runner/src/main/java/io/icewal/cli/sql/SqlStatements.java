package io.icewal.cli.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Parts text into statements at each `;` that stands outside of quotes and comments. Pure.
public final class SqlStatements {
  /// What a `;` in it parts nothing; an end that is missing is Trino's to complain about. A doubled
  /// quote is the end of one and the start of another.
  private static final Pattern TOKEN =
      Pattern.compile("'[^']*+'?|\"[^\"]*+\"?|--[^\\r\\n]*+|/\\*[\\s\\S]*?(?:\\*/|\\z)|;");

  private SqlStatements() {}

  /// The statements in their order, without those that are empty but for comments.
  public static List<String> of(String text) {
    List<String> statements = new ArrayList<>();
    int start = 0;
    boolean empty = true;
    int seen = 0;
    Matcher token = TOKEN.matcher(text);
    while (token.find()) {
      empty &= text.substring(seen, token.start()).isBlank();
      seen = token.end();
      char first = text.charAt(token.start());
      if (first == ';') {
        add(statements, text.substring(start, token.start()), empty);
        start = token.end();
        empty = true;
      } else if (first == '\'' || first == '"') {
        empty = false;
      }
    }
    add(statements, text.substring(start), empty && text.substring(seen).isBlank());
    return statements;
  }

  private static void add(List<String> statements, String statement, boolean empty) {
    if (!empty) {
      statements.add(statement.strip());
    }
  }
}
