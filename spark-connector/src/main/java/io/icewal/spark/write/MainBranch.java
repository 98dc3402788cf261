package io.icewal.spark.write;

import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.apache.iceberg.spark.SparkSQLProperties;
import org.apache.iceberg.spark.SparkTableUtil;
import org.apache.iceberg.spark.SparkWriteConf;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.jspecify.annotations.Nullable;

/// Where rows of icewal's tables go: to the main branch, and at once.
public final class MainBranch {
  private MainBranch() {}

  /// Refuses a write for which the session, or the statement, asks for anything else.
  ///
  /// @param branch that the table was loaded with; null for none
  public static void require(
      SparkSession spark,
      String name,
      Table table,
      @Nullable String branch,
      CaseInsensitiveStringMap options) {
    SparkWriteConf session = new SparkWriteConf(spark, table);
    if (session.wapEnabled() && session.wapId() != null) {
      throw new UnsupportedOperationException(
          "rows of table "
              + name
              + " are visible at once: they cannot be held back for "
              + SparkSQLProperties.WAP_ID
              + " = "
              + session.wapId());
    }
    String wanted = SparkTableUtil.determineWriteBranch(spark, table, branch, options);
    if (wanted != null && !wanted.equals(SnapshotRef.MAIN_BRANCH)) {
      throw new UnsupportedOperationException(
          "rows of table "
              + name
              + " are written into its log, which is of branch main only, not into "
              + wanted);
    }
  }
}
