package io.icewal.spark;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/// The shape of the connector.
final class ConnectorArchitectureTest {
  private static final JavaClasses CONNECTOR =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .withImportOption(new ImportOption.DoNotIncludeJars())
          .importPackages("io.icewal.spark");

  @Test
  void packagesHaveNoCycles() {
    slices().matching("io.icewal.(spark..)").should().beFreeOfCycles().check(CONNECTOR);
    slices().matching("io.icewal.spark.(*)..").should().beFreeOfCycles().check(CONNECTOR);
    noClasses()
        .that()
        .resideInAnyPackage("io.icewal.spark.*..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.icewal.spark")
        .check(CONNECTOR);
  }

  @Test
  void classesAreFinal() {
    classes()
        .that()
        .areNotInterfaces()
        .and()
        .areNotAnonymousClasses()
        .and()
        .doNotHaveModifier(JavaModifier.SYNTHETIC)
        .and()
        .areNotEnums()
        .should()
        .haveModifier(JavaModifier.FINAL)
        .check(CONNECTOR);
  }
}
