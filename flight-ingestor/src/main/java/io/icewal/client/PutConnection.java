package io.icewal.client;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.protocol.BatchMetadata;
import io.icewal.protocol.ErrorBody;
import io.icewal.protocol.Errors;
import io.icewal.protocol.OutgoingFrame;
import io.icewal.protocol.PutAnswer;
import io.icewal.protocol.PutMethod;
import io.icewal.protocol.PutRequest;
import java.util.List;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.types.pojo.Schema;

/// One DoPut call of a [PutStream]; a failed one is replaced by the next.
final class PutConnection extends ClientCall.Listener<Flight.PutResult> {
  private final PutStream stream;
  private final ClientCall<OutgoingFrame, Flight.PutResult> call;

  PutConnection(PutStream stream, Channel channel, PutRequest request, Schema schema) {
    this.stream = stream;
    this.call = channel.newCall(PutMethod.client(), CallOptions.DEFAULT);
    call.start(this, new Metadata());
    call.request(Integer.MAX_VALUE); // The stream's own limit bounds how many answers can come.
    byte[] descriptor = descriptor(request);
    call.sendMessage(OutgoingFrame.schema(descriptor, schema));
  }

  /// Each batch brings its number, so that a later call may begin anywhere.
  private static byte[] descriptor(PutRequest request) {
    PutRequest unnumbered =
        new PutRequest(
            request.table(),
            request.mode(),
            request.op(),
            request.producer(),
            /* sequence= */ null);
    return Flight.FlightDescriptor.newBuilder()
        .setType(Flight.FlightDescriptor.DescriptorType.CMD)
        .setCmd(ByteString.copyFrom(unnumbered.toJson()))
        .build()
        .toByteArray();
  }

  boolean isReady() {
    return call.isReady();
  }

  void send(ArrowRecordBatch rows, long sequence) {
    call.sendMessage(OutgoingFrame.batch(rows, new BatchMetadata(sequence).toJson()));
  }

  void halfClose() {
    call.halfClose();
  }

  void cancel() {
    call.cancel("put stream is given up", null);
  }

  @Override
  public void onReady() {
    stream.onReady();
  }

  @Override
  public void onMessage(Flight.PutResult result) {
    try {
      stream.onAnswer(this, PutAnswer.parse(result.getAppMetadata().toByteArray()));
    } catch (IcewalException e) {
      stream.onEnd(
          this, new ErrorBody(ErrorKind.INTERNAL, String.valueOf(e.getMessage()), 0, List.of()));
      cancel();
    }
  }

  @Override
  public void onClose(Status status, Metadata trailers) {
    // A server that ends the call in peace before all is answered is one that goes away.
    stream.onEnd(
        this,
        status.isOk()
            ? new ErrorBody(ErrorKind.UNAVAILABLE, "server ended the stream", 0, List.of())
            : Errors.received(status, trailers));
  }
}
