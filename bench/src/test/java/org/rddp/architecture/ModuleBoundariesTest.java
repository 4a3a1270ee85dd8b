package org.rddp.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.File;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.NetworkChannel;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Arrows between packages go one way: docs/architecture.md has the picture. */
class ModuleBoundariesTest {
  private static final JavaClasses RDDP =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("org.rddp");

  /** The protocol and its simulation: one thread, a clock that is made up, and no surroundings. */
  private static final String[] ENGINES = {
    "org.rddp.wire..",
    "org.rddp.device..",
    "org.rddp.ip..",
    "org.rddp.tcp..",
    "org.rddp.crc..",
    "org.rddp.mpa..",
    "org.rddp.ddp..",
    "org.rddp.rdmap..",
    "org.rddp.simulation.."
  };

  @ParameterizedTest(name = "org.rddp.{0} knows only: {1}")
  @CsvSource({
    "wire,",
    "device, wire",
    "ip,     wire device",
    "tcp,    wire device ip",
    "crc,    wire",
    "mpa,    wire device ip tcp crc",
    "ddp,    wire device ip tcp crc mpa",
    "rdmap,  wire device ip tcp crc mpa ddp",
    "dpdk,   wire device ip tcp",
    "ipc.linux,",
    "client.types, ipc",
    "ipc,    client.types",
    "client, ipc",
    "daemon, wire device ip tcp crc mpa ddp rdmap dpdk ipc client",
    "simulation, wire device ip tcp crc mpa ddp rdmap ipc client daemon",
    "rig,    device dpdk ipc client daemon",
  })
  void eachPackageKnowsOnlyThoseBelowIt(String name, String below) {
    Stream<String> known =
        Stream.concat(
            Stream.of(name), below == null ? Stream.of() : Arrays.stream(below.split(" +")));
    classes()
        .that(resideInAPackage("org.rddp." + name + ".."))
        .should()
        .onlyDependOnClassesThat(
            isForeign()
                .or(
                    resideInAnyPackage(
                        known.map(one -> "org.rddp." + one + "..").toArray(String[]::new))))
        .check(RDDP);
  }

  private static DescribedPredicate<JavaClass> isForeign() {
    return DescribedPredicate.not(resideInAPackage("org.rddp.."));
  }

  @Test
  void noPackagesKnowEachOther() {
    slices().matching("org.rddp.(*)..").should().beFreeOfCycles().check(RDDP);
  }

  @Test
  void programsNeedNoLibraryToBeClients() {
    classes()
        .that()
        .resideInAnyPackage("org.rddp.ipc..", "org.rddp.client..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("java..", "org.rddp.ipc..", "org.rddp.client..")
        .check(RDDP);
  }

  /** What it is handed to write to, such as a channel for a capture, is not its own business. */
  @Test
  void theProtocolKnowsNoThreadsNoFilesAndNoSockets() {
    noClasses()
        .that()
        .resideInAnyPackage(ENGINES)
        .should()
        .dependOnClassesThat(
            resideInAnyPackage("java.net..", "java.nio.file..", "java.util.concurrent..")
                .or(assignableTo(Thread.class))
                .or(assignableTo(File.class))
                .or(assignableTo(InputStream.class))
                .or(assignableTo(OutputStream.class))
                .or(assignableTo(FileChannel.class))
                .or(assignableTo(NetworkChannel.class)))
        .check(RDDP);
  }

  @Test
  void theProtocolIsToldTheTime() {
    noClasses()
        .that()
        .resideInAnyPackage(ENGINES)
        .should()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .dependOnClassesThat()
        .resideInAPackage("java.time..")
        .check(RDDP);
  }

  @Test
  void generatedBindingsAreSpokenToByTheirOwnModuleOnly() {
    noClasses()
        .that()
        .resideOutsideOfPackage("org.rddp.dpdk..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.rddp.dpdk.generated..")
        .check(RDDP);
  }

  @Test
  void onlyProgramsSpeakToTheTerminal() {
    noClasses()
        .that()
        .resideOutsideOfPackages(
            "org.rddp.bench..",
            "org.rddp.cli..",
            "org.rddp.conformance..",
            "org.rddp.daemon..",
            "org.rddp.interop..",
            "org.rddp.rig..",
            "org.rddp.dpdk.generated..")
        .should()
        .accessField(System.class, "out")
        .orShould()
        .accessField(System.class, "err")
        .check(RDDP);
  }
}
