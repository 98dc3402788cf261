package io.icewal.expression;

import java.math.BigDecimal;
import java.util.HexFormat;

/// A literal as it was written, before the column it is compared with gives it a type.
sealed interface RawLiteral {
  /// For messages.
  String describe();

  /// NULL.
  record Null() implements RawLiteral {
    @Override
    public String describe() {
      return "NULL";
    }
  }

  /// TRUE or FALSE.
  record Bool(boolean value) implements RawLiteral {
    @Override
    public String describe() {
      return value ? "TRUE" : "FALSE";
    }
  }

  /// A number.
  record Decimal(BigDecimal value) implements RawLiteral {
    @Override
    public String describe() {
      return "number " + value;
    }
  }

  /// Text.
  ///
  /// @param word DATE, TIME, TIMESTAMP or UUID if it stood before the text, else empty
  record Text(String word, String value) implements RawLiteral {
    private static final int CHARS_SHOWN = 60;

    @Override
    public String describe() {
      String shown = value.length() > CHARS_SHOWN ? value.substring(0, CHARS_SHOWN) + "…" : value;
      return (word.isEmpty() ? "text" : word) + " '" + shown + "'";
    }
  }

  /// X'…'.
  record Hex(byte[] value) implements RawLiteral {
    @Override
    public String describe() {
      return "X'" + HexFormat.of().formatHex(value) + "'";
    }
  }
}
