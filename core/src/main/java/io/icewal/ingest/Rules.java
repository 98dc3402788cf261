package io.icewal.ingest;

import io.icewal.model.Rule;
import io.icewal.model.Verdict;
import org.jspecify.annotations.Nullable;

/// The words of verdicts that several places give.
final class Rules {
  private Rules() {}

  static Verdict schema(String path, Rule rule, @Nullable String value, String message) {
    return new Verdict(-1, path, rule.text(), value, message);
  }

  static Verdict batchTooLarge(String seen, String limit) {
    return schema(
        "",
        Rule.BATCH_SIZE,
        null,
        "the batch has " + seen + ", the limit is " + limit + "; send smaller batches");
  }

  static Verdict malformed(String path, String what) {
    return schema(path, Rule.MALFORMED, null, "the Arrow vector of column '" + path + "' " + what);
  }

  static Rule nullRule(Site site) {
    return site.key() ? Rule.KEY_NOT_NULL : Rule.NOT_NULL;
  }

  static String nullMessage(Site site) {
    if (site.key()) {
      return Rule.keyNotNullMessage(site.path());
    }
    return site.presence() == Site.Presence.DECLARED
        ? "column '" + site.path() + "' is null, but the batch's own schema flags it non-null"
        : Rule.notNullMessage(site.path());
  }
}
