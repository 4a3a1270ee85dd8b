package org.rddp.daemon.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The tenants of a configuration file, and the rate of an interface. */
class TenantsReaderTest {
  private static final String INTERFACES =
      """
      [[interface]]
      name = "one"
      device = "ring:x"
      address = "10.0.0.1/24"
      [[interface]]
      name = "two"
      device = "ring:x"
      address = "10.0.0.2/24"
      """;

  private static final String TENANT = "[[limits.tenant]]\n";

  private static List<TenantConfiguration> read(String tables) throws ConfigurationException {
    return ConfigurationFile.parse("f", tables + INTERFACES).limits().tenants();
  }

  /** The problems as lines, without the file. */
  private static List<String> problems(String text) {
    try {
      ConfigurationFile.parse("f", text);
      return List.of();
    } catch (ConfigurationException e) {
      return e.problems().stream().map(each -> each.toString().substring(2)).toList();
    }
  }

  @Test
  void shouldHaveNoTenantsByDefault() throws ConfigurationException {
    assertThat(read("")).isEmpty();
  }

  @Test
  void shouldReadTenants() throws ConfigurationException {
    assertThat(
            read(
                """
                [[limits.tenant]]
                name = "storage"
                users = ["root", 1001]
                weight = 9
                rate = "2.5Gbit/s"
                burst = "1MiB"
                [[limits.tenant]]
                weight = 2
                rate = "10 Mbit/s"
                """))
        .containsExactly(
            new TenantConfiguration("storage", List.of(0, 1001), 9, 2_500_000_000L, 1 << 20),
            new TenantConfiguration("", List.of(), 2, 10_000_000, 1 << 16));
  }

  @Test
  void shouldHaveABurstOfAMillisecond() throws ConfigurationException {
    assertThat(read(TENANT + "rate = \"40Gbit/s\"\n").getFirst().burst()).isEqualTo(5_000_000);
  }

  @Test
  void shouldSayWhatAShareIs() throws ConfigurationException {
    List<TenantConfiguration> read = read(TENANT + "weight = 3\nrate = \"1.5Gbit/s\"\n");
    assertThat(read.getFirst().share()).isEqualTo("weight 3, at most 1.500 Gbit/s");
    assertThat(TenantConfiguration.OTHER.share()).isEqualTo("weight 1");
  }

  @Test
  void shouldReadTheRateOfAnInterface() throws ConfigurationException {
    String text = INTERFACES.replaceFirst("\\n", "\nrate = \"9.8Gbit/s\"\n");
    assertThat(ConfigurationFile.parse("f", text).interfaces())
        .extracting(InterfaceConfiguration::rate)
        .containsExactly(9_800_000_000L, 0L);
    assertThat(problems(text.replace("9.8Gbit/s", "9.8GB")))
        .containsExactly(
            "2:1: interface[1].rate: \"9.8GB\" cannot be used; allowed: \"off\", or a number with"
                + " kbit/s, Mbit/s or Gbit/s, from 1 Mbit/s to 1000 Gbit/s");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          weight = 0 | weight: 0 is out of range; allowed: a whole number from 1 to 10000
          weight = 10001 | weight: 10001 is out of range; allowed: a whole number from 1 to 10000
          rate = "999kbit/s" | rate: "999kbit/s" cannot be used; allowed: "off", or a number with kbit/s, Mbit/s or Gbit/s, from 1 Mbit/s to 1000 Gbit/s
          rate = 5 | rate: is the number 5; allowed: "off", or a number with kbit/s, Mbit/s or Gbit/s, from 1 Mbit/s to 1000 Gbit/s
          burst = "1MiB" | burst: is set without a rate; allowed: a 'rate', too, or no 'burst'
          name = "a" | name: is for a tenant with users; without them, each other user is a tenant; allowed: 'users', too, or no 'name'
          users = [7] | name: missing; it must be 1 to 32 letters, digits, '.', '_' or '-'
          wieght = 1 | wieght: unknown key; did you mean weight?
          """)
  void shouldRefuseAWrongTenant(String line, String problem) {
    assertThat(problems(TENANT + line + "\n" + INTERFACES))
        .anyMatch(each -> each.endsWith(": limits.tenant[1]." + problem));
  }

  @Test
  void shouldRefuseTenantsThatContradictEachOther() {
    assertThat(
            problems(
                """
                [[limits.tenant]]
                name = "a"
                users = [7, 7]
                [[limits.tenant]]
                name = "a"
                users = [7]
                [[limits.tenant]]
                [[limits.tenant]]
                [[limits.tenant]]
                name = "b"
                users = []
                [[limits.tenant]]
                name = "c"
                users = ["no such user"]
                """
                    + INTERFACES))
        .containsExactly(
            "3:1: limits.tenant[1].users: user 7 is named twice; allowed: each user once",
            "5:1: limits.tenant[2].name: is that of tenant[1] too; allowed: a unique name",
            "6:1: limits.tenant[2].users: user 7 is in tenant[1] too; allowed: each user once",
            "8:1: limits.tenant[4]: is for each other user, as tenant[3] is; it needs name and users",
            "11:1: limits.tenant[5].users: is empty; allowed: names or ids of users; without the key:"
                + " each other user",
            "14:10: limits.tenant[6].users[1]: there is no user \"no such user\" on this machine;"
                + " allowed: a list of names or ids of users");
  }

  @Test
  void shouldNeedARestart() throws ConfigurationException {
    Configuration before = ConfigurationFile.parse("f", INTERFACES);
    Configuration after = ConfigurationFile.parse("f", TENANT + INTERFACES);
    assertThat(Changes.between(before, after).restart()).containsExactly("limits.tenant");
    assertThat(Changes.between(before, after).applied()).isEmpty();
  }
}
