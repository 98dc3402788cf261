package io.icewal.sim;

import java.util.List;

/// The product, or the product without one of its defences: the latter must fail for some seed,
/// else the simulator could not have shown that the defence works.
///
/// @param where which part is weakened
/// @param name the rule or guard that is left out
record Variant(Where where, String name) {
  /// The part of the product.
  enum Where {
    NOWHERE,
    WRITER,
    TRIMMER,
    TAIL,
    COMMIT
  }

  /// The product as it is.
  static final Variant NONE = new Variant(Where.NOWHERE, "");

  private static final List<String> WRITER_RULES =
      List.of("b01", "b02", "b03", "b04", "b05", "b06", "b09", "l01", "l05", "l06");
  private static final List<String> TRIMMER_RULES = List.of("b10", "b11");
  private static final List<String> TAIL_RULES = List.of("b07", "b12", "l02", "l04");

  /// Reads the text form: a rule of the log by its model's name, or `commit:GUARD`.
  static Variant parse(String text) {
    if (text.isEmpty()) {
      return NONE;
    }
    if (text.startsWith("commit:")) {
      return new Variant(Where.COMMIT, text.substring("commit:".length()));
    }
    if (WRITER_RULES.contains(text)) {
      return new Variant(Where.WRITER, text);
    }
    if (TRIMMER_RULES.contains(text)) {
      return new Variant(Where.TRIMMER, text);
    }
    if (TAIL_RULES.contains(text)) {
      return new Variant(Where.TAIL, text);
    }
    throw new IllegalArgumentException("no variant " + text);
  }

  boolean weakens(Where part) {
    return where == part;
  }

  @Override
  public String toString() {
    return where == Where.COMMIT ? "commit:" + name : name;
  }
}
