package io.icewal.spark.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.spark.services.Warehouse;
import io.icewal.spark.services.WarehouseSettings;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import org.apache.iceberg.Schema;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TailSourceTest {
  @Test
  void pieceThatCannotBeOpenedLeavesNoMemoryOpen(@TempDir Path folder) {
    WarehouseSettings settings = WarehouseSettings.of("icewal", Map.of("data", folder.toString()));
    Schema schema = new Schema(NestedField.optional(1, "n", Types.IntegerType.get()));
    TailSource source =
        new TailSource(settings, UUID.randomUUID(), schema, SparkSchemaUtil.convert(schema));

    assertThatThrownBy(() -> source.open(new TailPartition(new byte[] {1})))
        .isInstanceOf(RuntimeException.class);

    assertThat(Warehouse.of(settings).allocator().getChildAllocators()).isEmpty();
  }
}
