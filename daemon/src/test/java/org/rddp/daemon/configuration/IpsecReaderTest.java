package org.rddp.daemon.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rddp.ip.AddressPrefix;
import org.rddp.ip.PolicyAction;
import org.rddp.ip.SecurityPolicy;
import org.rddp.ip.TrafficSelector;

class IpsecReaderTest {
  private static final String PORT =
      """
      [[interface]]
      name = "a"
      device = "linux:lo"
      address = "10.0.0.1/24"
      """;

  private static Configuration parse(String lines) throws ConfigurationException {
    return ConfigurationFile.parse("f", PORT + lines);
  }

  @Test
  void shouldHaveNoPolicyWithoutTheTable() throws Exception {
    assertThat(parse("").interfaces().getFirst().ipsec()).isEmpty();
  }

  @Test
  void shouldRequireEspByDefault() throws Exception {
    assertThat(parse("[interface.ipsec]").interfaces().getFirst().ipsec())
        .contains(
            new IpsecConfiguration(
                new SecurityPolicy(List.of(), PolicyAction.REQUIRE), Optional.empty()));
  }

  @Test
  void shouldDoWithoutCrcInEspOnlyIfToldSo() throws Exception {
    assertThat(parse("[interface.ipsec]").interfaces().getFirst().mpa().crcInEsp()).isTrue();
    String without = "mpa = { crc-in-esp = false }\n";
    assertThat(parse(without + "[interface.ipsec]").interfaces().getFirst().mpa().crcInEsp())
        .isFalse();
    assertThatThrownBy(() -> parse(without))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("interface[1].mpa.crc-in-esp")
        .hasMessageContaining("the interface has no security policy")
        .hasMessageContaining("[interface.ipsec]");
  }

  @Test
  void shouldReadTheNameOfAKeyFile() throws Exception {
    assertThat(parse("ipsec = { key-file = \"/k\" }").interfaces().getFirst().ipsec())
        .map(IpsecConfiguration::keyFile)
        .contains(Optional.of(Path.of("/k")));
  }

  @Test
  void shouldReadRulesInTheirOrder() throws Exception {
    String lines =
        """
        [interface.ipsec]
        default = "discard"
        [[interface.ipsec.rule]]
        remote = "10.0.0.0/24"
        local-port = 1
        remote-port = 65535
        action = "bypass"
        [[interface.ipsec.rule]]
        remote = "2001:db8::/64"
        action = "require"
        """;
    assertThat(parse(lines).interfaces().getFirst().ipsec().map(IpsecConfiguration::policy))
        .contains(
            new SecurityPolicy(
                List.of(
                    new SecurityPolicy.Rule(
                        new TrafficSelector(AddressPrefix.parse("10.0.0.0/24"), false, 1, 65535),
                        PolicyAction.BYPASS),
                    new SecurityPolicy.Rule(
                        new TrafficSelector(AddressPrefix.parse("2001:db8::/64"), false, 0, 0),
                        PolicyAction.REQUIRE)),
                PolicyAction.DISCARD));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "ipsec = { default = \"never\" } | ipsec.default: \"never\" cannot be used; allowed: one of",
        "ipsec = { key-file = \"keys\" } | ipsec.key-file: \"keys\" cannot be used; allowed: an abs",
        "ipsec = { rules = [] } | ipsec.rules: unknown key; ",
        "ipsec = { rule = [ { action = \"bypass\" } ] } | remote: missing; it must be an address",
        "ipsec = { rule = [ { remote = \"10.0.0.0/33\", action = \"bypass\" } ] } | \"10.0.0.0/33\"",
        "ipsec = { rule = [ { remote = \"::/0\" } ] } | action: missing; it must be one of",
        "ipsec = { rule = [ { remote = \"::/0\", action = \"x\" } ] } | action: \"x\" cannot be",
        "ipsec = { rule = [ { remote = \"::/0\", action = \"bypass\", local-port = 0 } ] } | 1 to 65535",
        "ipsec = { rule = [ { remote = \"::/0\", action = \"bypass\", port = 1 } ] } | unknown key",
      })
  void shouldSayWhatIsWrong(String lines, String expected) {
    assertThatThrownBy(() -> parse(lines.replace("\\n", "\n")))
        .isInstanceOf(ConfigurationException.class)
        .satisfies(thrown ->
            assertThat(((ConfigurationException) thrown).problems().toString()).contains(expected));
  }

  @Test
  void shouldHaveAtMostSixtyFourRules() throws Exception {
    String rule = "{ remote = \"::/0\", action = \"bypass\" }";
    String most = "ipsec = { rule = [ " + (rule + ", ").repeat(63) + rule + " ] }";
    assertThat(parse(most).interfaces().getFirst().ipsec().orElseThrow().policy().rules())
        .hasSize(64);
    assertThatThrownBy(() -> parse(most.replace(" ] }", ", " + rule + " ] }")))
        .isInstanceOf(ConfigurationException.class);
  }

  @Test
  void shouldNeedARestart() throws Exception {
    Changes changes = Changes.between(parse(""), parse("[interface.ipsec]"));
    assertThat(changes.applied()).isEmpty();
    assertThat(changes.restart()).containsExactly("interface[1]");
  }
}
