package org.rddp.nio;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.client.streams.StreamNetwork;
import org.rddp.nio.Rules.Way;

/** The cases of rddp sockets' own rules, sockets/test/rules_test.c. */
class RulesTest {
  private static final String NETWORKS =
      "one 10.0.0.1/24;two 10.0.0.2/24;secret 10.9.0.1/16 encrypted;one fd00:1::1/64";

  private final Map<String, String> environment = new HashMap<>();

  @TempDir private Path directory;
  private Path file;

  @BeforeEach
  void chooseFile() throws IOException {
    file = Files.createFile(directory.resolve("rules"));
    environment.put("RDDP_SOCKETS_FILE", file.toString());
    environment.put("RDDP_SOCKETS_NETWORKS", NETWORKS);
  }

  private Rules read() {
    return new Rules(environment, to -> null);
  }

  private Rules read(String options, String variable, String text) throws IOException {
    environment.put("RDDP_SOCKETS_OPTIONS", options);
    environment.put("RDDP_SOCKETS_RULES", variable);
    Files.writeString(file, text);
    return read();
  }

  private static Rules.Decision decide(Rules rules, String address, int port) {
    return rules.decide(rules.known(), InetAddress.ofLiteral(address), port);
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.2,RDDP",
    "10.0.0.77,RDDP",
    "10.0.1.1,KERNEL",
    "10.9.255.1,RDDP",
    "fd00:1::2,RDDP",
    "fd00:1:0:1::2,KERNEL",
    "192.0.2.1,KERNEL",
    "127.0.0.1,KERNEL",
    "0.0.0.0,KERNEL",
    "::1,KERNEL",
    "::,KERNEL",
    "fe80::1,KERNEL"
  })
  void shouldDecideByNetworksWithoutRules(String address, Way way) {
    Rules rules = read();
    assertThat(rules.error()).isNull();
    assertThat(rules.known()).hasSize(4);
    Rules.Decision made = decide(rules, address, 443);
    assertThat(made.way()).isEqualTo(way);
    assertThat(made.rule()).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.3,443,KERNEL,option",
    "10.0.0.3,444,KERNEL,RDDP_SOCKETS_RULES",
    "10.0.0.4,80,RDDP,option",
    "10.0.0.2,80,KERNEL,RDDP_SOCKETS_RULES",
    "10.0.0.200,80,KERNEL,line 3",
    "10.0.0.200,81,RDDP,",
    "10.0.0.200,9,RDDP_OR_KERNEL,line 4",
    "fd00:1::5,80,KERNEL,line 5",
    "fd00:1::5,81,KERNEL,line 6",
    "192.0.2.1,9,KERNEL,"
  })
  void shouldDecideByTheFirstRule(String address, int port, Way way, String source)
      throws IOException {
    Rules rules =
        read(
            "10.0.0.3:443 kernel\n10.0.0.4 rddp",
            "10.0.0.0/28 kernel;10.0.0.3 rddp-or-kernel",
            """
            # of the system

              10.0.0.0/24:80\tkernel # a comment\r
            *:9 rddp-or-kernel
            [fd00:1::/64]:80 kernel
            fd00:1::5 kernel
            """);
    assertThat(rules.error()).isNull();
    Rules.Decision made = decide(rules, address, port);
    assertThat(made.way()).isEqualTo(way);
    if (source == null) {
      assertThat(made.source()).isNull();
    } else {
      assertThat(made.source()).endsWith(source);
    }
  }

  @Test
  void shouldKeepEncryptedNetworksFromTheKernel() throws IOException {
    Rules rules = read("* rddp-or-kernel", "", "10.9.0.5 kernel\n");
    assertThat(decide(rules, "10.0.0.2", 1).way()).isEqualTo(Way.RDDP_OR_KERNEL);
    assertThat(decide(rules, "10.9.0.2", 1).way()).isEqualTo(Way.RDDP);
    assertThat(decide(rules, "192.0.2.1", 1).way()).isEqualTo(Way.KERNEL);
    assertThat(decide(read("10.9.0.5 kernel", "", ""), "10.9.0.5", 1).way()).isEqualTo(Way.RDDP);
  }

  @Test
  void shouldLetRulesNameWhatAGatewayReaches() throws IOException {
    Rules rules =
        read("", "", "192.0.2.0/24 rddp\n198.51.100.0/24 rddp-or-kernel\n0.0.0.0/0:7 kernel");
    assertThat(decide(rules, "192.0.2.1", 1).way()).isEqualTo(Way.RDDP);
    assertThat(decide(rules, "192.0.2.1", 1).network()).isNull();
    assertThat(decide(rules, "198.51.100.1", 1).way()).isEqualTo(Way.RDDP_OR_KERNEL);
    assertThat(decide(rules, "10.0.0.2", 7).way()).isEqualTo(Way.KERNEL);
    assertThat(decide(rules, "fd00:1::2", 7).way()).isEqualTo(Way.RDDP);
    assertThat(rules.isKernelNear(null, InetAddress.ofLiteral("192.0.2.1"))).isTrue();
  }

  @Test
  void shouldTakeTheKernelForNearInTheNetworkItselfOnly() {
    Rules rules = new Rules(environment, Kernel::source);
    InetAddress near = InetAddress.ofLiteral("127.0.0.7");
    StreamNetwork loopback = new StreamNetwork("any", InetAddress.ofLiteral("127.0.0.9"), 8, false);
    StreamNetwork other = new StreamNetwork("any", InetAddress.ofLiteral("10.77.0.1"), 24, false);
    assertThat(rules.isKernelNear(loopback, near)).isTrue();
    assertThat(rules.isKernelNear(other, near)).isFalse();
    assertThat(rules.isKernelNear(other, InetAddress.ofLiteral("10.77.0.2"))).isFalse();
  }

  @Test
  void shouldLeaveAddressesOfThisHostToItsKernel() {
    Rules rules = new Rules(environment, to -> to);
    assertThat(decide(rules, "10.0.0.77", 1).way()).isEqualTo(Way.KERNEL);
    assertThat(decide(rules, "10.0.0.2", 1).way()).isEqualTo(Way.RDDP);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "10.0.0.1 kernal|there is no such action; write rddp, kernel or",
        "10.0.0.1|the action is missing",
        "10.0.0.1 kernel now|something behind the action",
        "10.0.0 kernel|no address and no network",
        "10.0.0.1/33 kernel|no address and no network",
        "10.0.0.1/ kernel|no address and no network",
        "10.0.0.1/+8 kernel|no address and no network",
        "fd00::/129 kernel|no address and no network",
        "localhost kernel|no address and no network",
        "10.0.0.1:0 kernel|the port is no number from 1 to 65535",
        "10.0.0.1:65536 kernel|the port is no number",
        "10.0.0.1: kernel|the port is no number",
        "[fd00::1 kernel|a bracket is not closed",
        "[fd00::1]80 kernel|a bracket is not closed"
      })
  void shouldSayWhatIsWrongAndConnectNothing(String rule, String said) throws IOException {
    Rules rules = read("", "", "10.0.0.9 kernel\n" + rule + "\n10.0.0.4 y");
    assertThat(rules.error()).contains("line 2").contains(rule).contains(said);
    assertThat(decide(rules, "10.0.0.2", 1).way()).isEqualTo(Way.REFUSED);
    assertThat(decide(rules, "192.0.2.1", 1).way()).isEqualTo(Way.KERNEL);
    assertThat(decide(rules, "127.0.0.1", 1).way()).isEqualTo(Way.KERNEL);
  }

  @Test
  void shouldRefuseFilesThatAreNone() throws IOException {
    environment.put("RDDP_SOCKETS_FILE", "/nonexistent/rules");
    assertThat(read().error()).contains("/nonexistent/rules: the rules cannot be read: No such");
    environment.put("RDDP_SOCKETS_FILE", directory.toString());
    assertThat(read().error()).contains("make this a file");
    environment.put("RDDP_SOCKETS_FILE", file.toString());
    Files.write(file, new byte[] {'#', 0});
    assertThat(read().error()).contains("octets that are no text");
  }

  @Test
  void shouldRefuseTooMuch() throws IOException {
    assertThat(read("", "", "10.0.0.1 kernel\n".repeat(1025)).error())
        .contains("line 1025: '10.0.0.1 kernel': there are more than 1024 rules");
    assertThat(read("", "", "#".repeat(70000)).error()).contains("more than 64 KiB");
    assertThat(read("", "", "1".repeat(399)).error()).contains("too long for a rule");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ";; one ;two x;three 10.0.0.1/99;four fe80::1/64;five 10.0.0.1/24;five 10.0.0.1/24"
            + " encrypted;"
      })
  void shouldLeaveOutNetworksThatAreNone(String networks) {
    environment.put("RDDP_SOCKETS_NETWORKS", networks);
    assertThat(read().known())
        .containsExactly(new StreamNetwork("five", InetAddress.ofLiteral("10.0.0.1"), 24, true));
  }
}
