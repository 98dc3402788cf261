package io.icewal.expression;

import java.util.BitSet;

/// What a condition is for each row: true, false, or, with neither bit set, unknown.
final class Truth {
  final int rows;
  final BitSet yes;
  final BitSet no;

  Truth(int rows) {
    this(rows, new BitSet(rows), new BitSet(rows));
  }

  private Truth(int rows, BitSet yes, BitSet no) {
    this.rows = rows;
    this.yes = yes;
    this.no = no;
  }

  void set(int row, boolean value) {
    (value ? yes : no).set(row);
  }

  Truth negated() {
    return new Truth(rows, no, yes);
  }

  /// False wins, then unknown.
  void and(Truth other) {
    yes.and(other.yes);
    no.or(other.no);
  }

  /// True wins, then unknown.
  void or(Truth other) {
    yes.or(other.yes);
    no.and(other.no);
  }

  /// The complement of a set of rows.
  BitSet others(BitSet some) {
    BitSet rest = (BitSet) some.clone();
    rest.flip(0, rows);
    return rest;
  }

  /// Two-valued: true for the given rows, false for all others.
  static Truth of(int rows, BitSet yes) {
    BitSet no = (BitSet) yes.clone();
    no.flip(0, rows);
    return new Truth(rows, yes, no);
  }
}
