package io.icewal.model;

/// A value that its column cannot hold.
public final class BadValue extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Rule rule;
  private final String path;
  private final String reason;

  /// @param path the dotted path of the column
  /// @param reason what is wrong with it, in the words that the ingestor has for it
  public BadValue(Rule rule, String path, String reason) {
    super(reason);
    this.rule = rule;
    this.path = path;
    this.reason = reason;
  }

  /// The same, where what it was found in lies within a column or another field.
  public BadValue within(String parent) {
    return new BadValue(rule, path.isEmpty() ? parent : parent + "." + path, reason);
  }

  public Rule rule() {
    return rule;
  }

  public String path() {
    return path;
  }

  public String reason() {
    return reason;
  }
}
