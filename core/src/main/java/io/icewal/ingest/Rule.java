package io.icewal.ingest;

/// The rules that a batch can break; their text form is stable and goes to the sender.
enum Rule {
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

  String text() {
    return text;
  }
}
