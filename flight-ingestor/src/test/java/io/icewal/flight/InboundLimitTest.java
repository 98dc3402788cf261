package io.icewal.flight;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import io.icewal.model.IcewalException;
import io.icewal.protocol.PutMethod;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class InboundLimitTest {
  private final InboundLimit limit = new InboundLimit(100, 250, Runnable::run);
  private final List<String> refused = new ArrayList<>();

  private ServerStreamTracer stream(String name) {
    ServerStreamTracer stream = limit.newServerStreamTracer(PutMethod.FULL_NAME, new Metadata());
    stream
        .filterContext(Context.current())
        .run(() -> InboundLimit.onExcess(error -> refused.add(name + " " + code(error))));
    return stream;
  }

  private static Status.Code code(IcewalException error) {
    return InboundLimit.status(error).getCode();
  }

  @Test
  void aMessageBeyondTheBoundIsRefusedOnce() {
    ServerStreamTracer stream = stream("a");
    stream.inboundWireSize(100);
    assertThat(refused).isEmpty();
    stream.inboundWireSize(1);
    stream.inboundWireSize(1);

    assertThat(refused).containsExactly("a RESOURCE_EXHAUSTED");
  }

  @Test
  void messagesOfManyStreamsAreBoundedTogetherWhileTheyArrive() {
    ServerStreamTracer first = stream("a");
    ServerStreamTracer second = stream("b");
    ServerStreamTracer third = stream("c");
    first.inboundWireSize(90);
    second.inboundWireSize(90);
    third.inboundWireSize(90);
    assertThat(refused).containsExactly("c UNAVAILABLE");
    third.streamClosed(Status.UNAVAILABLE);

    first.inboundMessageRead(0, 90, 90);
    ServerStreamTracer fourth = stream("d");
    fourth.inboundWireSize(100);
    fourth.inboundMessageRead(0, 100, 100);
    fourth.inboundWireSize(100);
    assertThat(refused).hasSize(1);
    first.inboundWireSize(70);
    assertThat(refused).containsExactly("c UNAVAILABLE", "a UNAVAILABLE");
  }
}
