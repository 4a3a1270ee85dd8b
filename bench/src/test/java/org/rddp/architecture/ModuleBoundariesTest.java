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

/** Dependencies between packages run in one direction, as docs/architecture.md shows. */
class ModuleBoundariesTest {
  private static final JavaClasses RDDP =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("org.rddp");

  /** The protocol and its simulation: single-threaded, with a virtual clock, and without I/O. */
  private static final String[] ENGINES = {
    "org.rddp.wire..",
    "org.rddp.device..",
    "org.rddp.group..",
    "org.rddp.ip..",
    "org.rddp.tcp..",
    "org.rddp.crc..",
    "org.rddp.mpa..",
    "org.rddp.ddp..",
    "org.rddp.rdmap..",
    "org.rddp.simulation.."
  };

  @ParameterizedTest(name = "org.rddp.{0} depends only on: {1}")
  @CsvSource({
    "wire,",
    "device, wire",
    "group,  device",
    "ip,     wire device group",
    "tcp,    wire device group ip",
    "crc,    wire",
    "mpa,    wire device group ip tcp crc",
    "ddp,    wire device group ip tcp crc mpa",
    "rdmap,  wire device group ip tcp crc mpa ddp",
    "dpdk,   wire device group ip tcp",
    "ipc.linux,",
    "client.types,",
    "ipc.ring, ipc.linux client.types",
    "ipc.control, ipc.linux ipc.ring client.types",
    "client, ipc",
    "nio,    ipc client",
    "netty,  nio",
    "daemon, wire device group ip tcp crc mpa ddp rdmap dpdk ipc client.types",
    "simulation, wire device group ip tcp crc mpa ddp rdmap ipc client daemon",
    "rig,    device dpdk ip ipc client daemon",
  })
  void packagesDependOnlyOnLowerOnes(String name, String below) {
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

  @ParameterizedTest(name = "org.rddp.tcp.{0} uses no package of TCP but itself and {1}")
  @CsvSource({"congestion,", "loss, congestion", "storage,", "handshake,"})
  void packagesOfTcpUseOnlyThoseBelowThem(String name, String below) {
    DescribedPredicate<JavaClass> own = resideInAPackage("org.rddp.tcp." + name);
    DescribedPredicate<JavaClass> lower = resideInAPackage("org.rddp.tcp." + below);
    classes()
        .that(own)
        .should()
        .onlyDependOnClassesThat(
            DescribedPredicate.not(resideInAPackage("org.rddp.tcp..")).or(own).or(lower))
        .check(RDDP);
  }

  @Test
  void packagesHaveNoCycles() {
    slices().matching("org.rddp.(**)").should().beFreeOfCycles().check(RDDP);
  }

  @Test
  void programsNeedOnlyTheJdk() {
    classes()
        .that()
        .resideInAnyPackage("org.rddp.ipc..", "org.rddp.client..", "org.rddp.nio..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..", "javax.net..", "org.rddp.ipc..", "org.rddp.client..", "org.rddp.nio..")
        .check(RDDP);
  }

  /** Channels that callers pass in, for example for a capture, are allowed. */
  @Test
  void protocolUsesNoThreadsFilesOrSockets() {
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
  void protocolReadsNoClock() {
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
  void onlyDpdkPackagesUseGeneratedBindings() {
    noClasses()
        .that()
        .resideOutsideOfPackage("org.rddp.dpdk..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.rddp.dpdk.generated..")
        .check(RDDP);
  }

  @Test
  void onlyProgramsUseStandardOutput() {
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
