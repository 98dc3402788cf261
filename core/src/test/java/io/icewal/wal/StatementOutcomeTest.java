package io.icewal.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.statement.StatementPublisher;
import io.icewal.statement.StatementTable;
import io.icewal.storage.FaultyObjectStore.Toxic;
import io.icewal.storage.StoreOp;
import java.util.UUID;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.Test;

/// What a statement is told when the store goes away while it is published.
class StatementOutcomeTest {
  @Test
  void statementThatTheStoreMayHaveTakenIsNotCalledUnstored() {
    try (LogFixture fixture = new LogFixture()) {
      StatementPublisher publisher =
          new StatementPublisher(
              "engine", log -> fixture.writer(), log -> fixture.reader(), fixture.allocator);
      Schema schema = new Schema(NestedField.optional(1, "n", Types.LongType.get()));
      StatementTable table =
          new StatementTable(
              "s.t",
              new UUID(1, 1),
              SchemaParser.toJson(schema),
              PartitionSpecParser.toJson(PartitionSpec.unpartitioned()),
              1,
              fixture.log.at(0).toString());
      fixture.store.before(
          StoreOp.PUT_IF_ABSENT,
          key -> key.contains("/segments/"),
          () -> fixture.store.rate(Toxic.FAIL_AFTER, 1));

      IcewalException error =
          catchThrowableOfType(IcewalException.class, () -> publisher.truncate(table, "statement"));

      assertThat(error.kind()).isEqualTo(ErrorKind.UNKNOWN);
      fixture.store.rate(Toxic.FAIL_AFTER, 0);
      assertThat(fixture.reader().read(0).end()).isEqualTo(1);
    }
  }
}
