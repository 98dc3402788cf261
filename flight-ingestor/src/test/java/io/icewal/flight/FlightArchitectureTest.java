package io.icewal.flight;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.icewal.RowObjects;
import org.junit.jupiter.api.Test;

/// The first part of the way that rows go; core's own test looks at the rest.
final class FlightArchitectureTest {
  private static final JavaClasses FLIGHT =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.icewal.flight", "io.icewal.client", "io.icewal.protocol");

  @Test
  void rowsAreNeverObjectsOnTheirWayFromFlightToParquet() {
    noClasses().should(RowObjects.MAKE_ROW_OBJECTS).check(FLIGHT);
  }

  @Test
  void serverAndClientKnowNoCommandLine() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.icewal.cli..", "io.icewal.runner..", "picocli..")
        .check(FLIGHT);
  }
}
