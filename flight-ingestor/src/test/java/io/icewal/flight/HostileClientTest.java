package io.icewal.flight;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.flatbuffers.FlatBufferBuilder;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.icewal.protocol.Errors;
import io.icewal.protocol.PutMethod;
import io.icewal.protocol.PutRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;
import org.apache.arrow.flatbuf.DictionaryBatch;
import org.apache.arrow.flatbuf.DictionaryEncoding;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.flatbuf.Schema;
import org.apache.arrow.flatbuf.Struct_;
import org.apache.arrow.flatbuf.Type;
import org.apache.arrow.flatbuf.Utf8;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.flight.impl.Flight.FlightData;
import org.apache.arrow.flight.impl.Flight.PutResult;
import org.apache.iceberg.catalog.TableIdentifier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Clients that send what no library would write: each is refused by name, and costs the server
/// neither memory nor life.
class HostileClientTest {
  private static final MethodDescriptor<FlightData, PutResult> PUT =
      MethodDescriptor.<FlightData, PutResult>newBuilder()
          .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
          .setFullMethodName(PutMethod.FULL_NAME)
          .setRequestMarshaller(ProtoUtils.marshaller(FlightData.getDefaultInstance()))
          .setResponseMarshaller(ProtoUtils.marshaller(PutResult.getDefaultInstance()))
          .build();

  @TempDir Path folder;
  private ServerFixture fixture;
  private TableIdentifier table;
  private ManagedChannel channel;

  @BeforeEach
  void start() {
    fixture = ServerFixture.on(folder);
    table = fixture.table("t", Rows.COLUMNS, "id");
    channel =
        NettyChannelBuilder.forAddress("127.0.0.1", fixture.server.port())
            .usePlaintext()
            .disableRetry()
            .build();
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    Await.until("calls are over", () -> fixture.server.runningPuts() == 0);
    assertThat(fixture.serverMemory().getAllocatedMemory()).isZero();
    fixture.close();
  }

  @Test
  void aSchemaWhoseFieldsAreSharedUnfoldsNowhere() {
    Put put = new Put();
    put.send(schema(fbb -> shared(fbb, 40)));

    assertThat(put.end()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(put.message()).contains("fields");
  }

  @Test
  void aSchemaNestedWithoutEndIsRefused() {
    Put put = new Put();
    put.send(schema(fbb -> nested(fbb, 20_000)));

    assertThat(put.end()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(put.message()).contains("deep");
  }

  @Test
  void messagesWithoutTheirHeaderGiveTheirBodyBack() {
    for (byte type : new byte[] {MessageHeader.DictionaryBatch, MessageHeader.RecordBatch}) {
      Put put = new Put();
      put.send(schema(HostileClientTest::idColumn));
      put.send(data(message(type, fbb -> 0), new byte[1 << 16]));

      assertThat(put.end()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    }
  }

  @Test
  void aDeltaThatPointsOutsideItsBufferIsRefused() {
    Put put = new Put();
    put.send(schema(HostileClientTest::dictionaryColumn));
    put.send(data(dictionary(false, 1, 8, 8), body(0, 3)));
    put.send(data(dictionary(true, 1, 8, 8), body(0, 1 << 20)));

    assertThat(put.end()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(put.message()).contains("dictionary");
  }

  @Test
  void aDeltaToADictionaryThatPointsOutsideItsBufferIsRefused() {
    Put put = new Put();
    put.send(schema(HostileClientTest::dictionaryColumn));
    put.send(data(dictionary(false, 1, 8, 8), body(0, 1 << 20)));
    put.send(data(dictionary(true, 1, 8, 8), body(0, 3)));

    assertThat(put.end()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(put.message()).contains("dictionary");
  }

  @Test
  void aColumnThatSaysToBeLongerThanItsBatchIsRefused() {
    Put put = new Put();
    put.send(schema(HostileClientTest::idColumn));
    put.send(data(batch(1, 100_000_000), new byte[8]));

    assertThat(put.end()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(put.message()).contains("100000000 values");
  }

  @Test
  void aDescriptorWithoutEndIsRefused() {
    Put put = new Put();
    put.call.sendMessage(
        FlightData.newBuilder()
            .setFlightDescriptor(
                Flight.FlightDescriptor.newBuilder()
                    .setType(Flight.FlightDescriptor.DescriptorType.CMD)
                    .setCmd(UnsafeByteOperations.unsafeWrap(new byte[8 << 20])))
            .build());

    assertThat(put.end()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(put.message()).contains("at most");
  }

  @Test
  void whatWasSentBeforeAMalformedMessageIsStillAnswered() {
    Put put = new Put();
    put.send(schema(HostileClientTest::idColumn));
    put.send(data(batch(1, 1), new byte[] {7, 0, 0, 0, 0, 0, 0, 0}));
    put.send(data(message(MessageHeader.RecordBatch, fbb -> 0), new byte[8]));

    assertThat(put.end()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(put.answers).hasSize(1);
    assertThat(put.answers.get(0)).contains("\"status\":\"ok\"");
  }

  @Test
  void aCompressedMessageIsNotUnfolded() {
    Put put = new Put(CallOptions.DEFAULT.withCompression("gzip"));
    put.call.setMessageCompression(true);
    put.send(schema(HostileClientTest::idColumn));

    assertThat(put.end()).isEqualTo(Status.Code.UNIMPLEMENTED);
  }

  @Test
  void columnsThatDoNotFitAreNamedOneByOneInTheError() {
    Put put = new Put();
    put.send(
        schema(
            fbb ->
                Schema.createFieldsVector(fbb, new int[] {idField(fbb, "a"), idField(fbb, "b")})));

    assertThat(put.end()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(Errors.received(put.status, put.trailers).verdicts())
        .extracting(verdict -> verdict.column() + " " + verdict.rule())
        .contains("a unknown-column", "b unknown-column", "id missing-column");
  }

  // ---- messages

  private FlightData schema(ToIntFunction<FlatBufferBuilder> fields) {
    byte[] header =
        message(
            MessageHeader.Schema,
            fbb -> {
              int vector = fields.applyAsInt(fbb);
              Schema.startSchema(fbb);
              Schema.addFields(fbb, vector);
              return Schema.endSchema(fbb);
            });
    return FlightData.newBuilder()
        .setFlightDescriptor(
            Flight.FlightDescriptor.newBuilder()
                .setType(Flight.FlightDescriptor.DescriptorType.CMD)
                .setCmd(ByteString.copyFrom(PutRequest.of(table).toJson())))
        .setDataHeader(ByteString.copyFrom(header))
        .build();
  }

  private static FlightData data(byte[] header, byte[] body) {
    return FlightData.newBuilder()
        .setDataHeader(ByteString.copyFrom(header))
        .setDataBody(ByteString.copyFrom(body))
        .build();
  }

  /// @param header makes the message's header table; 0 for none
  private static byte[] message(byte type, ToIntFunction<FlatBufferBuilder> header) {
    FlatBufferBuilder fbb = new FlatBufferBuilder();
    int table = header.applyAsInt(fbb);
    Message.startMessage(fbb);
    Message.addVersion(fbb, MetadataVersion.V5);
    Message.addHeaderType(fbb, type);
    if (table != 0) {
      Message.addHeader(fbb, table);
    }
    fbb.finish(Message.endMessage(fbb));
    return fbb.sizedByteArray();
  }

  private static byte[] batch(long rows, long values) {
    return message(MessageHeader.RecordBatch, fbb -> records(fbb, rows, values, 0, 8));
  }

  /// One text of 3 bytes, said to be at the offsets of the body.
  private static byte[] dictionary(boolean delta, long values, int offsetBytes, int dataBytes) {
    return message(
        MessageHeader.DictionaryBatch,
        fbb -> {
          int records = records(fbb, values, values, 0, offsetBytes, dataBytes);
          DictionaryBatch.startDictionaryBatch(fbb);
          DictionaryBatch.addId(fbb, 1);
          DictionaryBatch.addData(fbb, records);
          DictionaryBatch.addIsDelta(fbb, delta);
          return DictionaryBatch.endDictionaryBatch(fbb);
        });
  }

  private static int records(FlatBufferBuilder fbb, long rows, long values, int... bufferBytes) {
    RecordBatch.startNodesVector(fbb, 1);
    FieldNode.createFieldNode(fbb, values, 0);
    int nodes = fbb.endVector();
    RecordBatch.startBuffersVector(fbb, bufferBytes.length);
    int end = 0;
    for (int bytes : bufferBytes) {
      end += bytes;
    }
    for (int i = bufferBytes.length - 1; i >= 0; i--) {
      end -= bufferBytes[i];
      org.apache.arrow.flatbuf.Buffer.createBuffer(fbb, end, bufferBytes[i]);
    }
    int buffers = fbb.endVector();
    RecordBatch.startRecordBatch(fbb);
    RecordBatch.addLength(fbb, rows);
    RecordBatch.addNodes(fbb, nodes);
    RecordBatch.addBuffers(fbb, buffers);
    return RecordBatch.endRecordBatch(fbb);
  }

  /// Offsets of one text, and 8 bytes of texts.
  private static byte[] body(int start, int end) {
    return java.nio.ByteBuffer.allocate(16)
        .order(java.nio.ByteOrder.LITTLE_ENDIAN)
        .putInt(start)
        .putInt(end)
        .array();
  }

  private static int idColumn(FlatBufferBuilder fbb) {
    return Schema.createFieldsVector(fbb, new int[] {idField(fbb, "id")});
  }

  private static int idField(FlatBufferBuilder fbb, String name) {
    int text = fbb.createString(name);
    int type = Int.createInt(fbb, 64, true);
    int children = Field.createChildrenVector(fbb, new int[0]);
    return field(fbb, text, Type.Int, type, children, 0);
  }

  private static int dictionaryColumn(FlatBufferBuilder fbb) {
    int text = fbb.createString("v");
    Utf8.startUtf8(fbb);
    int type = Utf8.endUtf8(fbb);
    int children = Field.createChildrenVector(fbb, new int[0]);
    int index = Int.createInt(fbb, 32, true);
    int encoding = DictionaryEncoding.createDictionaryEncoding(fbb, 1, index, false, (short) 0);
    int column = field(fbb, text, Type.Utf8, type, children, encoding);
    return Schema.createFieldsVector(fbb, new int[] {idField(fbb, "id"), column});
  }

  private static int field(
      FlatBufferBuilder fbb, int name, byte kind, int type, int children, int dictionary) {
    Field.startField(fbb);
    Field.addName(fbb, name);
    Field.addNullable(fbb, true);
    Field.addTypeType(fbb, kind);
    Field.addType(fbb, type);
    Field.addChildren(fbb, children);
    if (dictionary != 0) {
      Field.addDictionary(fbb, dictionary);
    }
    return Field.endField(fbb);
  }

  /// A struct whose two fields are one and the same struct, and so on: few bytes, 2^levels fields.
  private static int shared(FlatBufferBuilder fbb, int levels) {
    return chain(fbb, levels, 2);
  }

  private static int nested(FlatBufferBuilder fbb, int levels) {
    return chain(fbb, levels, 1);
  }

  private static int chain(FlatBufferBuilder fbb, int levels, int width) {
    int name = fbb.createString("s");
    int below = idField(fbb, "id");
    for (int i = 0; i < levels; i++) {
      int[] children = new int[width];
      java.util.Arrays.fill(children, below);
      int vector = Field.createChildrenVector(fbb, children);
      Struct_.startStruct_(fbb);
      int type = Struct_.endStruct_(fbb);
      below = field(fbb, name, Type.Struct_, type, vector, 0);
    }
    return Schema.createFieldsVector(fbb, new int[] {below});
  }

  /// A put call that sends anything and keeps what comes back.
  private final class Put extends ClientCall.Listener<PutResult> {
    final ClientCall<FlightData, PutResult> call;
    final List<String> answers = new ArrayList<>();
    private final CompletableFuture<Status.Code> end = new CompletableFuture<>();
    volatile Status status;
    volatile Metadata trailers;

    Put() {
      this(CallOptions.DEFAULT);
    }

    Put(CallOptions options) {
      this.call = channel.newCall(PUT, options);
      call.start(this, new Metadata());
      call.request(1_000);
    }

    void send(FlightData message) {
      call.sendMessage(message);
    }

    Status.Code end() {
      return end.orTimeout(60, TimeUnit.SECONDS).join();
    }

    String message() {
      return Errors.received(status, trailers).message();
    }

    @Override
    public void onMessage(PutResult result) {
      answers.add(result.getAppMetadata().toStringUtf8());
    }

    @Override
    public void onClose(Status ended, Metadata metadata) {
      status = ended;
      trailers = metadata;
      end.complete(ended.getCode());
    }
  }
}
