package org.rddp.bench.layers;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.bench.ForkedJvm;
import org.rddp.bench.layers.CompilationLog.Compilation;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.RequestIntake;
import org.rddp.daemon.engine.Session;
import org.rddp.ddp.DdpEngine;
import org.rddp.ipc.ring.DaemonRings;
import org.rddp.ipc.ring.ProgramRings;
import org.rddp.ipc.ring.SubmissionEntry;
import org.rddp.tcp.TcpStack;

/**
 * How HotSpot compiles the hot path: which methods its last compiler has compiled, which of them
 * were too large to be inlined, and which are intrinsics. It has the daemon's flags, and compiles
 * at once, not beside the work, so that a busy machine only makes it slow.
 */
class CompiledCodeTest {
  private static final String OURS = "org.rddp.";

  /**
   * HotSpot's reason for a method that is called often and has more than 325 octets of bytecode.
   */
  private static final String TOO_LARGE = "hot method too big";

  private static final String BORDER = "dontinline ";

  /** Unrolled by hand, and meant to be called. */
  private static final Set<String> LARGE = Set.of("org.rddp.wire.VectorChecksum.sum");

  /** Methods of CRC32c by vectors that are unrolled and meant to be called. */
  private static final Set<String> LARGE_OF_CRC =
      Set.of(
          "org.rddp.crc.Fold.consume",
          "org.rddp.crc.Fold.finish",
          "org.rddp.crc.FoldEnds.put",
          "org.rddp.crc.FoldEnds.copy",
          "org.rddp.crc.CopyingFold.consume",
          "org.rddp.crc.CopyingFold.finish");

  @TempDir private Path directory;
  private List<String> output;

  private List<Compilation> compiled(Class<?> main, String... more) throws Exception {
    Path log = directory.resolve("compilations.xml");
    List<String> flags =
        new ArrayList<>(
            List.of(
                "-Xbatch",
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:+LogCompilation",
                "-XX:LogFile=" + log));
    flags.addAll(List.of(more));
    output = ForkedJvm.run(main, flags, List.of());
    List<Compilation> found = CompilationLog.read(log);
    Files.delete(log);
    return found;
  }

  /** Methods that HotSpot's last compiler has compiled, alone or inlined. */
  private static Set<String> methods(List<Compilation> compilations) {
    Set<String> all = new HashSet<>();
    for (Compilation each : compilations) {
      all.add(each.method());
      all.addAll(each.inlined());
    }
    return all;
  }

  /** Methods of ours that were not inlined, for a reason like this. */
  private static Set<String> notInlined(List<Compilation> compilations, Predicate<String> reason) {
    return compilations.stream()
        .flatMap(each -> each.called().entrySet().stream())
        .filter(each -> each.getKey().startsWith(OURS))
        .filter(each -> each.getValue().stream().anyMatch(reason))
        .map(each -> each.getKey())
        .collect(toSet());
  }

  /** The methods that HotSpot is told to keep out of their callers. */
  private static Set<String> borders() throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("..", "bin", "setup", "hotspot.txt"))) {
      return lines
          .filter(line -> line.startsWith(BORDER))
          .map(line -> line.substring(BORDER.length()).replace("::", "."))
          .collect(toSet());
    }
  }

  private static Set<String> intrinsics(List<Compilation> compilations, String method) {
    return compilations.stream()
        .filter(each -> each.method().equals(method) || each.inlined().contains(method))
        .flatMap(each -> each.intrinsics().stream())
        .collect(toSet());
  }

  /** The names of some methods, which must exist. */
  private static Stream<String> of(Class<?> type, String... methods) {
    assertThat(Arrays.stream(type.getDeclaredMethods()).map(method -> method.getName()))
        .as("methods of %s: if one has a new name, give it here", type)
        .contains(methods);
    return Arrays.stream(methods).map(method -> type.getName() + "." + method);
  }

  @Test
  void shouldCompileTheHotPathInPiecesThatCanBeInlined() throws Exception {
    List<Compilation> found = compiled(WarmedEngines.class, "-Drddp.crc32c=jdk");

    Set<String> hot =
        Stream.of(
                of(ProgramRings.class, "claim", "submit", "poll"),
                of(SubmissionEntry.class, "begin", "memory", "inline", "operands"),
                of(DaemonRings.class, "take", "claim", "submit"),
                of(RequestIntake.class, "take"),
                of(Session.class, "flush"),
                of(Engine.class, "turn"),
                of(DdpEngine.class, "send"),
                of(TcpStack.class, "receive", "transmit"))
            .flatMap(each -> each)
            .collect(toSet());
    assertThat(methods(found)).containsAll(hot);
    assertThat(found.stream().map(each -> each.method())).containsAll(borders());
    assertThat(found.stream().flatMap(each -> each.inlined().stream()))
        .as("borders between layers that are a part of their callers")
        .doesNotContainAnyElementsOf(borders());
    assertThat(notInlined(found, TOO_LARGE::equals)).isSubsetOf(LARGE);
    assertThat(notInlined(found, reason -> reason.contains("virtual")))
        .as("calls whose receiver is not known")
        .isEmpty();
    assertThat(intrinsics(found, "org.rddp.crc.IntrinsicCall.register"))
        .contains("_updateDirectByteBufferCRC32C");
    assertThat(intrinsics(found, "org.rddp.wire.Memory.copy")).contains("_copyMemory");
    if (methods(found).contains("org.rddp.wire.VectorChecksum.sum")) {
      assertThat(intrinsics(found, "org.rddp.wire.VectorChecksum.sum"))
          .contains("_VectorLoadOp", "_VectorBinaryOp", "_VectorReductionCoerced");
    }
  }

  @Test
  void shouldTurnTheVectorsOfLongCrcsIntoInstructions() throws Exception {
    List<Compilation> found = compiled(WarmedCrc.class, "-Drddp.crc32c=vector");
    assumeTrue(!output.contains(WarmedCrc.NONE), "no vectors of 512 bits");

    assertThat(methods(found)).containsAll(LARGE_OF_CRC);
    assertThat(notInlined(found, TOO_LARGE::equals)).isSubsetOf(LARGE_OF_CRC);
    for (String method : LARGE_OF_CRC) {
      Set<String> known = intrinsics(found, method);
      assertThat(known).as(method).contains("_VectorLoadOp", "_VectorStoreOp", "_VectorBinaryOp");
      if (method.contains("Fold.")) {
        assertThat(known).as(method).contains("_VectorSelectFromTwoVectorOp");
      }
    }
  }
}
