package org.rddp.crc;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.rddp.wire.Memory;

/** A JVM that loads the module of the Vector API itself, as the launcher has it. */
class LoadedVectorModuleTest {
  private static final int OCTETS = 8192;

  @Test
  void shouldUseVectorsWithoutAWarningAndWithoutObjects() throws Exception {
    String said = run("--add-exports=java.base/jdk.internal.module=ALL-UNNAMED");
    String expected = Crc32cChoice.vectorsAreThere() ? "vectors, no objects" : "no vectors";
    assertThat(said).isEqualTo(expected);
  }

  @Test
  void shouldDoWithoutWhereTheMethodOfTheJdkIsNotExported() throws Exception {
    assertThat(run("-Dwithout=exports")).isEqualTo("no vectors");
  }

  /** What the other JVM prints to standard output and standard error. */
  private static String run(String flag) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                flag,
                "-XX:+UseSerialGC",
                "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                LoadedVectorModuleTest.class.getName())
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return said.strip();
  }

  /**
   * What the other JVM does: it folds until HotSpot has compiled the code and none is allocated.
   */
  public static void main(String[] arguments) {
    if (!Crc32cChoice.vectorsAreThere()) {
      System.out.println("no vectors");
      return;
    }
    ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long address = Memory.allocate(OCTETS);
    VectorCrc32c vectors = new VectorCrc32c(Crossover.at(Crc32cThresholds.DEFAULT));
    long allocated;
    do {
      long before = thread.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 1000; i++) {
        vectors.update(0, address, OCTETS);
      }
      allocated = thread.getCurrentThreadAllocatedBytes() - before;
    } while (allocated > 1000);
    System.out.println("vectors, no objects");
  }
}
