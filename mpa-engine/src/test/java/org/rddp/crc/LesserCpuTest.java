package org.rddp.crc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.wire.Memory;

/** CRC32c in a JVM that has, or was told that it has, no vectors of 512 bits. */
class LesserCpuTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "--add-modules=jdk.incubator.vector -XX:UseAVX=2",
        "--add-modules=jdk.incubator.vector -XX:UseAVX=0",
        "-XX:+UnlockDiagnosticVMOptions -XX:UseAVX=0 -XX:-UseCRC32CIntrinsics",
        "-Dwithout=the.module"
      })
  void shouldFallBackToTheJdk(String flags) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(flags.split(" ")));
    command.addAll(
        List.of(
            "-XX:+UseSerialGC",
            "-XX:+IgnoreUnrecognizedVMOptions",
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            LesserCpuTest.class.getName()));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).isZero();
    assertThat(said.strip()).isEqualTo("IntrinsicCrc32c: all equal");
  }

  /** What the other JVM does. */
  public static void main(String[] arguments) {
    Random random = new Random(3);
    byte[] octets = new byte[40_000];
    random.nextBytes(octets);
    long address = Memory.allocate(octets.length);
    long copy = Memory.allocate(octets.length);
    Memory.copy(octets, 0, address, octets.length);
    Crc32c crc32c = Crc32c.create();
    CRC32C expected = new CRC32C();
    String outcome = "all equal";
    for (int length = 0; length <= 20_000; length += 1 + random.nextInt(20)) {
      int from = random.nextInt(octets.length - length);
      expected.reset();
      expected.update(octets, from, length);
      int crc = (int) expected.getValue();
      if (crc32c.update(0, address + from, length) != crc
          || crc32c.copy(0, address + from, copy, length) != crc) {
        outcome = "not equal at " + length;
      }
    }
    System.out.println(crc32c.getClass().getSimpleName() + ": " + outcome);
  }
}
