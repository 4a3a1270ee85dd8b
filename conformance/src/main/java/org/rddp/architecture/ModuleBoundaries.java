package org.rddp.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/**
 * Dependencies between packages run in one direction, as docs/architecture.md shows. Each module
 * has a subclass, which checks the module's own classes: its pom says which modules it may use, and
 * so the compiler checks that, but not which of their packages, and not those of the module itself.
 */
public abstract class ModuleBoundaries {
  /** The classes of the module whose tests run. */
  protected static final JavaClasses MODULE =
      new ClassFileImporter().importPath(Path.of("target", "classes"));

  private final String[] packages;

  /**
   * @param packages of the module, without {@code org.rddp.}, each with the others of rddp that it
   *     may use: {@code "mpa: wire device tcp"}. Packages below them are included.
   */
  protected ModuleBoundaries(String... packages) {
    this.packages = packages.clone();
  }

  @Test
  void packagesDependOnlyOnLowerOnes() {
    for (String each : packages) {
      String[] named = each.split(":? +|:$");
      classes()
          .that(resideInAPackage("org.rddp." + named[0] + ".."))
          .should()
          .onlyDependOnClassesThat(
              DescribedPredicate.not(resideInAPackage("org.rddp.."))
                  .or(
                      resideInAnyPackage(
                          Arrays.stream(named)
                              .map(name -> "org.rddp." + name + "..")
                              .toArray(String[]::new))))
          .check(MODULE);
    }
  }

  @Test
  void packagesHaveNoCycles() {
    slices().matching("org.rddp.(**)").should().beFreeOfCycles().check(MODULE);
  }

  @Test
  void onlyDpdkPackagesUseGeneratedBindings() {
    noClasses()
        .that()
        .resideOutsideOfPackage("org.rddp.dpdk..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.rddp.dpdk.generated..")
        .allowEmptyShould(true)
        .check(MODULE);
  }

  @Test
  void onlyProgramsUseStandardOutput() {
    noClasses()
        .that()
        .resideOutsideOfPackages(
            "org.rddp.bench..",
            "org.rddp.cli..",
            "org.rddp.daemon..",
            "org.rddp.interop..",
            "org.rddp.rig..",
            "org.rddp.dpdk.generated..")
        .should()
        .accessField(System.class, "out")
        .orShould()
        .accessField(System.class, "err")
        .allowEmptyShould(true)
        .check(MODULE);
  }

  /** For the modules that programs use. */
  protected static void needOnlyTheJdk() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..", "javax.net..", "org.rddp.ipc..", "org.rddp.client..", "org.rddp.nio..")
        .check(MODULE);
  }
}
