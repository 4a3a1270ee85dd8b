package org.rddp.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.daemon.ProgramInC;

/** Runs the test of the rules in C, and the program that checks them; both need no daemon. */
@Timeout(60)
class RulesTest {
  /** Types of parts of a program (elf.h). */
  private static final int PT_INTERP = 3;

  private static final int PT_NOTE = 4;

  @ParameterizedTest
  @ValueSource(strings = {"rules_test-address", "rules_test-thread"})
  void shouldDecideByTheFirstRuleThatFits(String test) throws Exception {
    try (ProgramInC program = ProgramInC.startTest(test, Path.of("/nonexistent"))) {
      program.finishTest();
    }
  }

  @Test
  void shouldNameTheLineOfAFileThatIsWrong(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("rules"), "# mine\n10.0.0.1 kernal\n");
    try (ProgramInC program = check("RDDP_SOCKETS_FILE", file.toString())) {
      assertThat(program.line())
          .isEqualTo(
              "rddp: error: %s, line 2: '10.0.0.1 kernal': there is no such action; write rddp,"
                  + " kernel or rddp-or-kernel",
              file);
      assertThatThrownBy(program::finish).hasMessageContaining("status 1");
    }
  }

  @Test
  void shouldSayNothingOfRulesThatAreRight() throws Exception {
    try (ProgramInC program = check("RDDP_SOCKETS_OPTIONS", "10.0.0.1 kernel\n* rddp-or-kernel\n")) {
      assertThat(program.finish()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "65536", "99999999999999999999"})
  void shouldRefuseToExplainWhatIsNoPort(String port) throws Exception {
    try (ProgramInC program =
        ProgramInC.start(
            "rddp-sockets-rules", Map.of(), List.of("explain", "10.0.0.2:" + port))) {
      assertThat(program.line())
          .isEqualTo(
              "rddp: error: --explain=10.0.0.2:%s: the port is no number from 1 to 65535", port);
      assertThatThrownBy(program::finish).hasMessageContaining("status 1");
    }
  }

  @Test
  void shouldWarnOfProgramsThatThePreloadedLibraryDoesNotReach(@TempDir Path folder)
      throws Exception {
    String end = ": its own connections are the kernel's";
    Path linked = program(folder, "static", PT_NOTE, "GNU\0");
    assertThat(warning(linked))
        .containsExactly("rddp: warning: " + linked + " is linked statically" + end);
    Path go = program(folder, "go", PT_INTERP, "Go\0\0");
    assertThat(warning(go))
        .containsExactly(
            "rddp: warning: %s is written in Go, which makes system calls without libc%s"
                .formatted(go, end));
    assertThat(warning(program(folder, "dynamic", PT_INTERP, "GNU\0"))).isEmpty();
    assertThat(warning(Files.writeString(folder.resolve("script"), "#!/bin/sh\n"))).isEmpty();
    assertThat(warning(folder.resolve("none"))).isEmpty();
  }

  private static List<String> warning(Path program) throws Exception {
    try (ProgramInC check =
        ProgramInC.start("rddp-sockets-rules", Map.of(), List.of("check", program.toString()))) {
      return check.finish();
    }
  }

  /** A file with the headers of a program: a part of this type, and two notes. */
  private static Path program(Path folder, String name, int part, String owner) throws IOException {
    ByteBuffer elf = ByteBuffer.allocate(64 + 2 * 56 + 2 * 20).order(ByteOrder.LITTLE_ENDIAN);
    elf.put(new byte[] {0x7F, 'E', 'L', 'F', 2, 1, 1});
    elf.putLong(32, 64).putShort(54, (short) 56).putShort(56, (short) 2);
    elf.putInt(64, part);
    elf.putInt(120, PT_NOTE).putLong(128, 176).putLong(152, 40);
    for (int at = 176; at < 216; at += 20) {
      elf.putInt(at, 4).putInt(at + 4, 4).putInt(at + 8, 1);
      String text = at == 176 ? "rddp" : owner;
      elf.put(at + 12, text.getBytes(StandardCharsets.US_ASCII));
    }
    return Files.write(folder.resolve(name), elf.array());
  }

  private static ProgramInC check(String variable, String rules) throws IOException {
    return ProgramInC.start("rddp-sockets-rules", Map.of(variable, rules), List.of("check"));
  }
}
