package org.rddp.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
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

  private static ProgramInC check(String variable, String rules) throws IOException {
    return ProgramInC.start("rddp-sockets-rules", Map.of(variable, rules), List.of("check"));
  }
}
