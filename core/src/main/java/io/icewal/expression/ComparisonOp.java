package io.icewal.expression;

/// The six comparisons.
enum ComparisonOp {
  EQ("="),
  NE("<>"),
  LT("<"),
  LE("<="),
  GT(">"),
  GE(">=");

  /// The order of a NaN and anything: only `<>` is true of it.
  static final int UNORDERED = 2;

  final String sql;

  ComparisonOp(String sql) {
    this.sql = sql;
  }

  boolean test(int order) {
    if (order == UNORDERED) {
      return this == NE;
    }
    return switch (this) {
      case EQ -> order == 0;
      case NE -> order != 0;
      case LT -> order < 0;
      case LE -> order <= 0;
      case GT -> order > 0;
      case GE -> order >= 0;
    };
  }

  ComparisonOp negated() {
    return switch (this) {
      case EQ -> NE;
      case NE -> EQ;
      case LT -> GE;
      case LE -> GT;
      case GT -> LE;
      case GE -> LT;
    };
  }

  /// The same with the sides exchanged.
  ComparisonOp flipped() {
    return switch (this) {
      case LT -> GT;
      case LE -> GE;
      case GT -> LT;
      case GE -> LE;
      default -> this;
    };
  }
}
