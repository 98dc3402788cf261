package io.icewal.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.storage.StoreOp;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a fresh scan asks of the log's store. A change here is a change in cost.
class FreshScanRequestTest {
  private static final Schema SCHEMA =
      new Schema(
          List.of(
              NestedField.required(1, "id", Types.LongType.get()),
              NestedField.optional(2, "v", Types.StringType.get())),
          Set.of(1));

  @TempDir Path folder;

  @Test
  void aScanLooksAtTheBoundaryTwiceListsOnceAndReadsOnlyNewSegments() {
    try (FreshFixture fixture = new FreshFixture(folder)) {
      fixture.create(SCHEMA);
      fixture.upsert(rows(fixture, 0, 10));
      fixture.materialize();
      fixture.upsert(rows(fixture, 5, 15));
      fixture.upsert(rows(fixture, 10, 20));
      fixture.store.reset();

      assertThat(fixture.read(FreshFixture.all())).hasSize(20);
      assertThat(fixture.store.counts())
          .as("two looks at the boundary, two new segments, which come whole")
          .isEqualTo(Map.of(StoreOp.GET, 2 + 2, StoreOp.LIST, 1));

      fixture.store.reset();
      assertThat(fixture.read(FreshFixture.all())).hasSize(20);
      assertThat(fixture.store.counts())
          .as("nothing new")
          .isEqualTo(Map.of(StoreOp.GET, 2, StoreOp.LIST, 1));
    }
  }

  @Test
  void aColdScanAlsoListsTheBoundary() {
    try (FreshFixture fixture = new FreshFixture(folder)) {
      fixture.create(SCHEMA);
      fixture.upsert(rows(fixture, 0, 10));
      fixture.store.reset();

      ScanServices cold = new ScanServices(fixture.warehouse.tables()::load, fixture.tails(), null);
      FreshScan.plan(FreshFixture.all(), cold, fixture.allocator);
      assertThat(fixture.store.counts()).isEqualTo(Map.of(StoreOp.GET, 3, StoreOp.LIST, 2));
    }
  }

  @Test
  void aScanWithoutTailAsksTheLogForNothing() {
    try (FreshFixture fixture = new FreshFixture(folder)) {
      fixture.create(SCHEMA);
      fixture.upsert(rows(fixture, 0, 10));
      fixture.store.reset();

      fixture.read(FreshFixture.all().withFreshness(Freshness.NO_TAIL));
      assertThat(fixture.store.counts()).isEmpty();
    }
  }

  private static List<Record> rows(FreshFixture fixture, long from, long to) {
    List<Record> rows = new ArrayList<>();
    for (long id = from; id < to; id++) {
      rows.add(fixture.row(id, "v" + id));
    }
    return rows;
  }
}
