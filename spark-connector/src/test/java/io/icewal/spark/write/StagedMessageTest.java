package io.icewal.spark.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.junit.jupiter.api.Test;

class StagedMessageTest {
  private static final class Foreign implements WriterCommitMessage {
    private static final long serialVersionUID = 1L;

    @Override
    public String toString() {
      return "a foreign message";
    }
  }

  private static void refused(WriterCommitMessage second, String why) {
    WriterCommitMessage[] messages = {new StagedMessage(List.of()), second};
    assertThatThrownBy(() -> StagedMessage.rows(messages))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("task 1")
        .hasMessageContaining(why);
  }

  @Test
  void commitFailsIfATaskDidNotTellOfItsRows() {
    refused(null, "null");
    refused(new Foreign(), "a foreign message");
    assertThat(StagedMessage.rows(new WriterCommitMessage[] {new StagedMessage(List.of())}))
        .isEmpty();
  }
}
