package io.icewal.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Status;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Verdict;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ErrorBodyTest {
  /// What clients take of trailers, all together.
  private static final int TRAILER_BYTES_MAX = 8 << 10;

  @ParameterizedTest
  @ValueSource(strings = {"日本", "\uD83D\uDE00", "\u0001", "\"\\", "plain "})
  void theTrailersOfAnyErrorFitWhereClientsTakeThem(String piece) {
    Verdict verdict = new Verdict(-1, piece.repeat(50), "type", null, piece.repeat(90));
    IcewalException error =
        new IcewalException(piece.repeat(3_000), Collections.nCopies(200, verdict));
    ErrorBody body = Errors.body(error);

    int json = body.toJson().length;
    Status status = Errors.toGrpc(body, error);
    String description = String.valueOf(status.getDescription());
    int encoded = 3 * description.getBytes(StandardCharsets.UTF_8).length;

    assertThat((json + 2) / 3 * 4 + encoded).isLessThan(TRAILER_BYTES_MAX);
    assertThat(description).startsWith(piece);
    ErrorBody read = ErrorBody.parse(body.toJson());
    assertThat(read).isNotNull();
    assertThat(read.message()).startsWith(piece).endsWith("…");
  }

  @Test
  void halfACharacterIsNoReasonToLoseAnError() {
    ErrorBody body = Errors.body(new IcewalException(ErrorKind.INVALID, "name 'a\uD800b' is bad"));

    assertThat(new String(body.toJson(), StandardCharsets.UTF_8))
        .contains("name 'a\uFFFDb' is bad");
  }

  @Test
  void halfACharacterIsNoText() {
    byte[] torn = "{\"table\": [\"db\", \"t\\ud800\"]}".getBytes(StandardCharsets.UTF_8);

    assertThatThrownBy(() -> PutRequest.parse(torn))
        .isInstanceOf(IcewalException.class)
        .hasMessageContaining("array of strings");
  }
}
