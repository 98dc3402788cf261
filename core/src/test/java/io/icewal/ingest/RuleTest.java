package io.icewal.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.Sources;
import io.icewal.model.Rule;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

final class RuleTest {
  @Test
  void everyRuleIsDocumentedUnderItsName() throws IOException {
    String text = Files.readString(Sources.root().resolve("docs/flight.md"));
    String rules = text.substring(text.indexOf("| rule | what is wrong |"));
    rules = rules.substring(0, rules.indexOf("\n\n"));

    assertThat(Pattern.compile("(?m)^\\| `([a-z0-9-]+)`").matcher(rules).results())
        .extracting(match -> match.group(1))
        .containsExactlyElementsOf(Arrays.stream(Rule.values()).map(Rule::text).toList());
  }
}
