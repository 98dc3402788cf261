package io.icewal.cli.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Parts text into statements at each `;` that stands outside of quotes, comments and bodies of
/// functions. Pure.
public final class SqlStatements {
  /// What a `;` in it parts nothing; an end that is missing is Trino's to complain about. A doubled
  /// quote is the end of one and the start of another. Then words and signs, which tell where the
  /// body of a function is.
  private static final Pattern TOKEN =
      Pattern.compile(
          "'[^']*+'?|\"[^\"]*+\"?|--[^\\r\\n]*+|/\\*[\\s\\S]*?(?:\\*/|\\z)"
              + "|[\\p{L}_][\\p{L}\\p{N}_]*+|[;,:()]");

  private SqlStatements() {}

  /// The statements in their order, without those that are empty but for comments.
  public static List<String> of(String text) {
    List<String> statements = new ArrayList<>();
    int start = 0;
    boolean empty = true;
    int seen = 0;
    FunctionBody body = new FunctionBody();
    Matcher token = TOKEN.matcher(text);
    while (token.find()) {
      empty &= text.substring(seen, token.start()).isBlank();
      seen = token.end();
      String found = token.group();
      if (found.equals(";") && !body.isOpen()) {
        add(statements, text.substring(start, token.start()), empty);
        start = token.end();
        empty = true;
        body = new FunctionBody();
      } else if (!found.startsWith("--") && !found.startsWith("/*")) {
        empty = false;
        body.next(found);
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

  /// Whether a place in a statement is in the body of an SQL function, `BEGIN … END`.
  ///
  /// Such a body has blocks of its own, and `CASE … END`, as a statement too. Loops and `IF` need
  /// not be told: their ends say what they end. `BEGIN` is no reserved word: it begins a body in
  /// the statement of a function only, outside of parentheses, and a block only where a statement
  /// may begin.
  private static final class FunctionBody {
    private static final Set<String> BEFORE_FUNCTION = Set.of("WITH", "CREATE", "REPLACE", ",");
    private static final Set<String> BEFORE_BLOCK =
        Set.of(";", ":", "THEN", "ELSE", "DO", "LOOP", "REPEAT", "BEGIN");

    /// Then comes an expression or a query.
    private static final Set<String> BODY_CANNOT_FOLLOW = Set.of("RETURN", "SELECT");

    private static final Set<String> ENDED_BY_NAME = Set.of("IF", "LOOP", "WHILE", "REPEAT");

    private boolean isFunction;
    private int parentheses;
    private int depth;
    private String before = "";

    boolean isOpen() {
      return depth > 0;
    }

    void next(String token) {
      String word = token.toUpperCase(Locale.ROOT);
      boolean afterEnd = before.equals("END");
      if (afterEnd && ENDED_BY_NAME.contains(word)) {
        depth++; // What ended was not counted.
      } else if (word.equals("END")) {
        depth = Math.max(0, depth - 1);
      } else if (begins(word) || (word.equals("CASE") && !afterEnd && depth > 0)) {
        depth++;
      }
      if (word.equals("FUNCTION") && BEFORE_FUNCTION.contains(before)) {
        isFunction = true;
      } else if (depth == 0 && BODY_CANNOT_FOLLOW.contains(word)) {
        isFunction = false;
      }
      parentheses += word.equals("(") ? 1 : word.equals(")") ? -1 : 0;
      before = word;
    }

    private boolean begins(String word) {
      return word.equals("BEGIN")
          && (depth > 0 ? BEFORE_BLOCK.contains(before) : isFunction && parentheses == 0);
    }
  }
}
