package io.icewal.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.model.ArrowSchemas;
import io.icewal.model.BlockKind;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.wal.proto.WalProto;
import java.util.Set;
import java.util.UUID;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.Test;

/// A footer that cannot be read stops its log, so what is nested too deep for readers never gets
/// there.
class NestingTest {
  private static Schema nested(int depth) {
    Type type = Types.LongType.get();
    for (int level = depth; level > 1; level--) {
      type = Types.StructType.of(NestedField.optional(level + 1, "f", type));
    }
    return new Schema(
        java.util.List.of(
            NestedField.required(1, "id", Types.LongType.get()),
            NestedField.optional(2, "top", type)),
        Set.of(1));
  }

  private static BlockHeader header(Schema columns) {
    return new BlockHeader(new UUID(1, 1), "ns.t", 0, 1_000, columns, BlockKind.UPSERT);
  }

  @Test
  void columnsOfTheGreatestDepthAreReadBackFromASegmentsFooter() throws Exception {
    BlockHeader header = header(nested(ArrowSchemas.DEPTH_MAX));
    byte[] bytes =
        WalProto.SegmentFooter.newBuilder()
            .addHeaders(FooterCodec.encode(header))
            .build()
            .toByteArray();

    WalProto.SegmentFooter read = WalProto.SegmentFooter.parseFrom(bytes);

    assertThat(FooterCodec.decode(read.getHeaders(0), BlockKind.UPSERT)).isEqualTo(header);
    assertThat(ArrowSchemas.toArrow(header.columns()).getFields()).hasSize(2);
  }

  @Test
  void deeperColumnsAreRefusedBeforeTheyReachALog() {
    Schema deeper = nested(ArrowSchemas.DEPTH_MAX + 1);

    assertThatThrownBy(() -> ArrowSchemas.toArrow(deeper))
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.INVALID));
    assertThatThrownBy(() -> FooterCodec.encode(header(deeper)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
