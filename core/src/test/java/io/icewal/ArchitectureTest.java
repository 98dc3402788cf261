package io.icewal;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.arrow.vector.ValueVector;
import org.apache.iceberg.data.GenericRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// The shape of core: which package may see which, and what none of them may do.
final class ArchitectureTest {
  private static final String ROOT = "io.icewal.";

  /// Rows flow from the log to the tables and to the readers; only positions come back, as
  /// arguments. `ingest`, `materialize` and `read` never see each other, and `wal` never sees
  /// `table`.
  private static final Map<String, Set<String>> MAY_SEE =
      Map.ofEntries(
          Map.entry("model", Set.of()),
          Map.entry("storage", Set.of("model")),
          Map.entry("storage.s3", Set.of("model", "storage")),
          Map.entry("config", Set.of("model", "storage", "storage.s3")),
          Map.entry("expression", Set.of("model")),
          Map.entry("merge", Set.of("model")),
          Map.entry("wal.proto", Set.of()),
          Map.entry("wal", Set.of("model", "storage", "wal.proto")),
          Map.entry("ingest", Set.of("model", "storage", "wal", "expression")),
          Map.entry("parquet", Set.of("model", "merge")),
          Map.entry("table", Set.of("model", "merge", "parquet")),
          Map.entry("tail", Set.of("model", "storage", "wal", "merge", "parquet")),
          Map.entry(
              "materialize",
              Set.of("model", "storage", "wal", "merge", "parquet", "table", "tail")),
          Map.entry(
              "read",
              Set.of("model", "storage", "wal", "merge", "parquet", "table", "tail", "expression")),
          Map.entry("statement", Set.of("model", "wal", "merge", "tail", "read")),
          Map.entry(
              "engine",
              Set.of(
                  "model",
                  "storage",
                  "wal",
                  "parquet",
                  "table",
                  "tail",
                  "materialize",
                  "statement")));

  private static final JavaClasses CORE =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .withImportOption(new ImportOption.DoNotIncludeJars())
          .importPackages("io.icewal");

  @Test
  void everyPackageHasItsPlaceInTheDirection() {
    Set<String> found = new TreeSet<>();
    CORE.forEach(type -> found.add(packageOf(type)));

    assertThat(MAY_SEE.keySet()).containsAll(found);
  }

  @Test
  void packagesSeeOnlyWhatIsBeforeThem() {
    MAY_SEE.forEach(
        (name, allowed) -> {
          List<String> forbidden = new ArrayList<>();
          for (String other : MAY_SEE.keySet()) {
            if (!other.equals(name) && !allowed.contains(other)) {
              forbidden.add(ROOT + other);
            }
          }
          noClasses()
              .that()
              .resideInAPackage(ROOT + name)
              .should()
              .dependOnClassesThat(resideInAnyPackage(forbidden.toArray(String[]::new)))
              .allowEmptyShould(true)
              .check(CORE);
        });
  }

  @Test
  void packagesHaveNoCycles() {
    slices().matching("io.icewal.(**)").should().beFreeOfCycles().check(CORE);
  }

  @Test
  void coreKnowsNoEngineNoServerAndNoContainer() {
    noClasses()
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(
                "org.apache.arrow.flight..",
                "io.grpc..",
                "com.google.inject..",
                "jakarta.inject..",
                "javax.inject..",
                "picocli..",
                "org.apache.spark..",
                "io.trino..",
                "org.apache.hadoop.fs.."))
        .check(CORE);
  }

  @Test
  void coreReadsNoClockDrawsNoRandomNumberAndStartsNoThread() {
    noClasses().should(Purity.CALL_THE_OUTSIDE).check(CORE);
  }

  /// `RecordColumns` reads the ORC and Avro files of others, for which Iceberg has nothing else;
  /// ours are Parquet.
  @Test
  void rowsAreNeverObjectsOnTheirWayFromFlightToParquet() {
    noClasses()
        .that(resideOutsideOfPackage("io.icewal.expression"))
        .and()
        .doNotHaveFullyQualifiedName("io.icewal.table.RecordColumns")
        .should(RowObjects.MAKE_ROW_OBJECTS)
        .check(CORE);
  }

  @Test
  void classesAreFinal() {
    classes()
        .that()
        .areNotInterfaces()
        .and()
        .doNotHaveModifier(JavaModifier.ABSTRACT)
        .and()
        .doNotHaveModifier(JavaModifier.SYNTHETIC)
        .and()
        .areNotAnonymousClasses()
        .and(resideOutsideOfPackage("io.icewal.wal.proto.."))
        .should()
        .haveModifier(JavaModifier.FINAL)
        .check(CORE.that(new Written()));
  }

  /// A rule that nothing can break proves nothing.
  @Test
  void theRulesSeeWhatTheyForbid() {
    JavaClasses offenders =
        new ClassFileImporter().importClasses(Offender.class, Random.class, UUID.class);

    assertThatThrownBy(() -> noClasses().should(Purity.CALL_THE_OUTSIDE).check(offenders))
        .hasMessageContaining("nanoTime")
        .hasMessageContaining("randomUUID")
        .hasMessageContaining("Thread");
    assertThatThrownBy(() -> noClasses().should(RowObjects.MAKE_ROW_OBJECTS).check(offenders))
        .hasMessageContaining("getObject")
        .hasMessageContaining("GenericRecord");
  }

  private static String packageOf(JavaClass type) {
    return type.getPackageName().replaceFirst("^io\\.icewal\\.?", "");
  }

  static final class Offender {
    private Offender() {}

    static @Nullable Object offend(ValueVector vector, org.apache.iceberg.Schema schema) {
      Thread thread = new Thread(() -> {});
      thread.setName(UUID.randomUUID().toString() + System.nanoTime());
      GenericRecord row = GenericRecord.create(schema);
      return row.size() > 0 ? row : vector.getObject(0);
    }
  }
}
