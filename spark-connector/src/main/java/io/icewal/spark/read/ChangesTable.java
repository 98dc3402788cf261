package io.icewal.spark.read;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.util.Arrays;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/// A table whose streams tell what each row is, in the column [#OP]: [#UPSERT], [#DELETE] (the
/// other columns are null but for the key's) or [#TRUNCATE] (all are). So any column may be null.
final class ChangesTable implements SupportsRead {
  /// The column, named as in streams that are written by Flight.
  static final String OP = "_op";

  static final String UPSERT = "upsert";
  static final String DELETE = "delete";

  /// What the table had before the batch is gone; the other rows of the batch come after that.
  static final String TRUNCATE = "truncate";

  private final Supplier<StreamedTable> tables;
  private final String name;
  private final StructType schema;

  /// @param tables gives each stream its own
  ChangesTable(Supplier<StreamedTable> tables) {
    this.tables = tables;
    StreamedTable table = tables.get();
    this.name = table.name();
    StructType columns = SparkSchemaUtil.convert(table.loaded().schema());
    if (Arrays.stream(columns.fieldNames()).anyMatch(OP::equalsIgnoreCase)) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "table "
              + table.name()
              + " has a column "
              + OP
              + ", so a stream of it cannot tell by that name what its rows are");
    }
    this.schema =
        columns
            .asNullable()
            .add(new StructField(OP, DataTypes.StringType, false, Metadata.empty()));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  @SuppressWarnings("deprecation") // Spark makes columns of it.
  public StructType schema() {
    return schema;
  }

  @Override
  public Set<TableCapability> capabilities() {
    return Set.of(TableCapability.MICRO_BATCH_READ);
  }

  @Override
  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
    return () ->
        new Scan() {
          @Override
          public StructType readSchema() {
            return schema;
          }

          @Override
          public MicroBatchStream toMicroBatchStream(String checkpoint) {
            StreamedTable table = tables.get();
            return new LogStream(
                table,
                StreamOptions.of(options),
                new StreamBatches(table, StreamBatches.RowKinds.ALL, 0));
          }
        };
  }
}
