package io.icewal.model;

/// The rules that rows can break, and their sentences. The text form is stable and goes to the
/// sender, whichever way the row came.
public enum Rule {
  UNKNOWN_COLUMN("unknown-column"),
  DUPLICATE_COLUMN("duplicate-column"),
  MISSING_COLUMN("missing-column"),
  TYPE("type"),
  NOT_NULL("not-null"),
  KEY_NOT_NULL("key-not-null"),
  OUT_OF_RANGE("out-of-range"),
  PRECISION_LOSS("precision-loss"),
  LENGTH("length"),
  UTF8("utf8"),
  UUID("uuid"),
  MAP_KEY("map-key"),
  PARTITION("partition"),
  OP("op"),
  MALFORMED("malformed"),
  BATCH_SIZE("batch-size");

  private final String text;

  Rule(String text) {
    this.text = text;
  }

  public String text() {
    return text;
  }

  /// What is wrong with a null in a required column.
  public static String notNullMessage(String path) {
    return "column '" + path + "' is required and must not be null";
  }

  /// What is wrong with a null in a column of the key.
  public static String keyNotNullMessage(String path) {
    return "column '" + path + "' is part of the key and must not be null";
  }

  /// What is wrong with bytes of another length than the type's.
  public static String lengthMessage(int bytes, String type, int expected) {
    return "value of " + bytes + " bytes; " + type + " takes exactly " + expected;
  }

  /// What is wrong with a value that its type cannot hold.
  public static String rangeMessage(String type, String range) {
    return "value is out of range for " + type + "; expected " + range;
  }
}
