package io.icewal.table;

import io.icewal.model.IcewalException;
import io.icewal.model.Verdict;
import io.icewal.parquet.PartitionRouter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.mapping.NameMappingParser;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// What must not stand in the metadata of a table that is to be adopted, its key apart. Pure.
final class AdoptionRules {
  private static final String PROPERTY = "property";

  private static final List<String> NUMBERS =
      List.of(
          TableProperties.COMMIT_NUM_RETRIES,
          TableProperties.MANIFEST_TARGET_SIZE_BYTES,
          TableProperties.MANIFEST_MIN_MERGE_COUNT,
          TableProperties.METADATA_PREVIOUS_VERSIONS_MAX);

  private static final int VALUE_CHARS_MAX = 100;

  private AdoptionRules() {}

  static List<Verdict> metadata(Table table) {
    TableMetadata metadata = TablePosition.metadata(table);
    List<Verdict> refusals = new ArrayList<>();
    if (metadata.formatVersion() > AdoptionPlan.FORMAT_VERSION) {
      refusals.add(
          refusal(
              "format-version",
              "",
              String.valueOf(metadata.formatVersion()),
              "the table has format version "
                  + metadata.formatVersion()
                  + ", icewal takes up to "
                  + AdoptionPlan.FORMAT_VERSION));
    }
    columns(metadata.schema(), refusals);
    partitioning(metadata.spec(), refusals);
    properties(metadata.properties(), refusals);
    readable(metadata.properties(), refusals);
    location(table, refusals);
    return refusals;
  }

  /// Whether files can be looked into though a rule was broken.
  static boolean leavesReadable(String rule) {
    return rule.equals(PROPERTY) || rule.equals(AdoptionKey.RULE_OPTIONAL);
  }

  private static void columns(Schema schema, List<Verdict> refusals) {
    for (NestedField column : schema.columns()) {
      try {
        TableRules.check(column);
      } catch (IcewalException e) {
        String type = String.valueOf(column.type());
        refusals.add(refusal("column", column.name(), type, String.valueOf(e.getMessage())));
      }
    }
    if (refusals.isEmpty()) {
      try {
        TableRules.check(schema);
      } catch (IcewalException e) {
        refusals.add(refusal("column", "", null, String.valueOf(e.getMessage())));
      }
    }
  }

  private static void partitioning(PartitionSpec spec, List<Verdict> refusals) {
    try {
      PartitionRouter.check(spec);
    } catch (IcewalException e) {
      refusals.add(refusal("partitioning", "", null, String.valueOf(e.getMessage())));
    }
  }

  private static void properties(Map<String, String> properties, List<Verdict> refusals) {
    String format = properties.get(TableProperties.DEFAULT_FILE_FORMAT);
    if (format != null && !format.toLowerCase(Locale.ROOT).equals("parquet")) {
      refusals.add(
          property(
              TableProperties.DEFAULT_FILE_FORMAT,
              format,
              "other engines would add files in which upserts cannot look for keys; set it to"
                  + " parquet"));
    }
    String encryption = properties.get(TableProperties.ENCRYPTION_TABLE_KEY);
    if (encryption != null) {
      refusals.add(
          property(
              TableProperties.ENCRYPTION_TABLE_KEY,
              encryption,
              "icewal neither reads nor writes encrypted data files"));
    }
    for (String name : NUMBERS) {
      String value = properties.get(name);
      if (value != null && !value.matches("[0-9]{1,18}")) {
        refusals.add(property(name, value, "every commit needs a whole number there"));
      }
    }
  }

  /// Properties that are texts with a form of their own.
  private static void readable(Map<String, String> properties, List<Verdict> refusals) {
    String mapping = properties.get(TableProperties.DEFAULT_NAME_MAPPING);
    try {
      if (mapping != null) {
        NameMappingParser.fromJson(mapping);
      }
    } catch (RuntimeException e) {
      // Iceberg's parser throws several kinds, all of which say that the text is not right.
      refusals.add(
          refusal(
              "name-mapping",
              "",
              String.valueOf(mapping),
              "table property "
                  + TableProperties.DEFAULT_NAME_MAPPING
                  + " is not a name mapping: "
                  + e.getMessage()));
    }
    String position = properties.get(TablePosition.PROPERTY);
    try {
      if (position != null) {
        TablePosition.parse(position);
      }
    } catch (IcewalException e) {
      refusals.add(
          property(
              TablePosition.PROPERTY,
              String.valueOf(position),
              "it cannot be read, so what it stands for is not known; remove it to begin anew"));
    }
  }

  private static void location(Table table, List<Verdict> refusals) {
    try {
      table.locationProvider();
    } catch (RuntimeException e) {
      // A class that is not here, or that cannot be made.
      refusals.add(
          property(
              TableProperties.WRITE_LOCATION_PROVIDER_IMPL,
              String.valueOf(table.properties().get(TableProperties.WRITE_LOCATION_PROVIDER_IMPL)),
              "icewal cannot tell where data files go: " + e.getMessage()));
    }
  }

  private static Verdict property(String name, String value, String why) {
    return refusal(
        PROPERTY, "", value, "table property " + name + " is '" + cut(value) + "': " + why);
  }

  private static Verdict refusal(
      String rule, String column, @Nullable String value, String message) {
    return new Verdict(-1, column, rule, value == null ? null : cut(value), message);
  }

  private static String cut(String text) {
    return text.length() <= VALUE_CHARS_MAX ? text : text.substring(0, VALUE_CHARS_MAX - 1) + "…";
  }
}
