package io.icewal.cli.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Parts text into statements at each `;` that stands outside of quotes, comments and bodies of
/// functions and scripts. Pure.
public final class SqlStatements {
  /// Whose SQL it is: they quote differently.
  public enum Dialect {
    /// A doubled quote is the end of one and the start of another.
    TRINO("'[^']*+'?|\"[^\"]*+\"?"),

    /// Strings stand in either quote, with escapes but in raw ones; names in backticks.
    SPARK(
        "\\b[rR](?:'[^']*+'?|\"[^\"]*+\"?)"
            + "|'[^'\\\\]*+(?:\\\\[\\s\\S][^'\\\\]*+)*+'?"
            + "|\"[^\"\\\\]*+(?:\\\\[\\s\\S][^\"\\\\]*+)*+\"?"
            + "|`[^`]*+`?");

    /// What a `;` in it parts nothing; an end that is missing is the engine's to complain about.
    /// Then words and signs, which tell where a body is.
    private final Pattern token;

    Dialect(String quoted) {
      this.token =
          Pattern.compile(
              quoted
                  + "|--[^\\r\\n]*+|/\\*[\\s\\S]*?(?:\\*/|\\z)"
                  + "|[\\p{L}_][\\p{L}\\p{N}_]*+|[;,:()]");
    }
  }

  private final List<String> ended = new ArrayList<>();
  private final String rest;
  private final boolean restIsEmpty;

  private SqlStatements(String text, Dialect dialect) {
    int start = 0;
    boolean empty = true;
    int seen = 0;
    Body body = new Body(dialect);
    Matcher token = dialect.token.matcher(text);
    while (token.find()) {
      empty &= text.substring(seen, token.start()).isBlank();
      seen = token.end();
      String found = token.group();
      if (found.equals(";") && !body.isOpen()) {
        if (!empty) {
          ended.add(text.substring(start, token.start()).strip());
        }
        start = token.end();
        empty = true;
        body = new Body(dialect);
      } else if (!isComment(found)) {
        empty = false;
        body.next(found);
      }
    }
    this.rest = text.substring(start).strip();
    this.restIsEmpty = empty && text.substring(seen).isBlank();
  }

  private static boolean isComment(String token) {
    return token.startsWith("--") || token.startsWith("/*");
  }

  /// The statements in their order, without those that are empty but for comments.
  public static List<String> of(String text, Dialect dialect) {
    SqlStatements parted = new SqlStatements(text, dialect);
    if (!parted.restIsEmpty) {
      parted.ended.add(parted.rest);
    }
    return parted.ended;
  }

  /// What goes before a message about the statement at an index; nothing if it is the only one.
  public static String place(int index, int count) {
    return count == 1 ? "" : "statement %d of %d: ".formatted(index + 1, count);
  }

  /// Whether nothing stands after the last `;`, so that the statements can be run.
  public static boolean isComplete(String text, Dialect dialect) {
    return new SqlStatements(text, dialect).restIsEmpty;
  }

  /// What a statement does, by its first words: `INSERT`, `CREATE TABLE`.
  public static String kind(String statement, Dialect dialect) {
    List<String> words =
        dialect
            .token
            .matcher(statement)
            .results()
            .map(token -> token.group().toUpperCase(Locale.ROOT))
            .filter(token -> !isComment(token))
            .limit(4)
            .toList();
    if (words.isEmpty() || !words.get(0).matches("\\w+")) {
      return "DONE";
    }
    String first = words.get(0);
    return first.matches("CREATE|REPLACE|ALTER|DROP|TRUNCATE")
        ? words.stream()
            .skip(1)
            .filter(word -> !word.matches("OR|REPLACE"))
            .findFirst()
            .map(word -> first + " " + word)
            .orElse(first)
        : first;
  }

  /// Whether a place in a statement is in the body of an SQL function or of a script of Spark's,
  /// `BEGIN … END`.
  ///
  /// Such a body has blocks of its own, and `CASE … END`, as a statement too. Loops and `IF` need
  /// not be told: their ends say what they end. `BEGIN` is no reserved word: it begins a body in
  /// the statement of a function only, outside of parentheses, and a block only where a statement
  /// may begin; in a script after the condition of a handler, too. A script begins its statement,
  /// but for a label.
  private static final class Body {
    private static final Set<String> BEFORE_FUNCTION = Set.of("WITH", "CREATE", "REPLACE", ",");
    private static final Set<String> BEFORE_BLOCK =
        Set.of(";", ":", "THEN", "ELSE", "DO", "LOOP", "REPEAT", "BEGIN");

    /// Then comes an expression or a query.
    private static final Set<String> BODY_CANNOT_FOLLOW = Set.of("RETURN", "SELECT");

    private static final Set<String> ENDED_BY_NAME = Set.of("IF", "LOOP", "WHILE", "REPEAT", "FOR");

    private final Dialect dialect;
    private boolean isFunction;
    private int parentheses;
    private int depth;
    private String before = "";

    Body(Dialect dialect) {
      this.dialect = dialect;
    }

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
      boolean isScript = dialect == Dialect.SPARK && (before.isEmpty() || before.equals(":"));
      return word.equals("BEGIN")
          && (depth > 0
              ? dialect == Dialect.SPARK || BEFORE_BLOCK.contains(before)
              : isScript || (isFunction && parentheses == 0));
    }
  }
}
