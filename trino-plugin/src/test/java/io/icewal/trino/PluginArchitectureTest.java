package io.icewal.trino;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/// The shape of the plugin.
final class PluginArchitectureTest {
  private static final JavaClasses PLUGIN =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .withImportOption(new ImportOption.DoNotIncludeJars())
          .importPackages("io.icewal.trino");

  @Test
  void packagesHaveNoCycles() {
    slices().matching("io.icewal.(trino..)").should().beFreeOfCycles().check(PLUGIN);
    slices().matching("io.icewal.trino.(*)..").should().beFreeOfCycles().check(PLUGIN);
    noClasses()
        .that()
        .resideInAnyPackage("io.icewal.trino.*..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.icewal.trino")
        .check(PLUGIN);
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
        .check(PLUGIN);
  }
}
