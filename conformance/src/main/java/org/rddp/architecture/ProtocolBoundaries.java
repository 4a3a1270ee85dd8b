package org.rddp.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import java.io.File;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.NetworkChannel;
import org.junit.jupiter.api.Test;

/** The protocol and its simulation: single-threaded, with a virtual clock, and without I/O. */
public abstract class ProtocolBoundaries extends ModuleBoundaries {
  private final String protocol;

  /**
   * @param protocol which packages of the module this binds: all below this one
   * @param packages as of {@link ModuleBoundaries}
   */
  protected ProtocolBoundaries(String protocol, String... packages) {
    super(packages);
    this.protocol = protocol + "..";
  }

  /** Channels that callers pass in, for example for a capture, are allowed. */
  @Test
  void protocolUsesNoThreadsFilesOrSockets() {
    noClasses()
        .that()
        .resideInAPackage(protocol)
        .should()
        .dependOnClassesThat(
            resideInAnyPackage("java.net..", "java.nio.file..", "java.util.concurrent..")
                .or(assignableTo(Thread.class))
                .or(assignableTo(File.class))
                .or(assignableTo(InputStream.class))
                .or(assignableTo(OutputStream.class))
                .or(assignableTo(FileChannel.class))
                .or(assignableTo(NetworkChannel.class)))
        .check(MODULE);
  }

  @Test
  void protocolReadsNoClock() {
    noClasses()
        .that()
        .resideInAPackage(protocol)
        .should()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .dependOnClassesThat()
        .resideInAPackage("java.time..")
        .check(MODULE);
  }
}
