package org.rddp.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What {@code rddp top} shows of tenants. */
class TenantRatesTest {
  private static final long SECOND = 1_000_000_000;
  private static final int MIB = 1 << 20;

  private final TenantRates rates = new TenantRates();

  private static JsonObject tenant(String name, int weight, int sent, double held, int lent) {
    JsonObject json = new JsonObject();
    json.addProperty("tenant", name);
    json.addProperty("engine", "one");
    json.addProperty("weight", weight);
    json.addProperty("rate_bits_per_second", weight == 1 ? 0 : 2_500_000_000L);
    json.addProperty("connections", 2);
    json.addProperty("sent_octets", sent * MIB);
    json.addProperty("held_seconds", held);
    json.addProperty("lent_octets", lent * MIB);
    return json;
  }

  @Test
  void shouldShowNothingWithoutTenants() {
    rates.sample(0, List.of());
    assertThat(rates.lines()).isEmpty();
  }

  @Test
  void shouldShowSharesTheBusiestFirst() {
    rates.sample(0, List.of(tenant("a", 1, 5, 0, 0), tenant("b", 9, 7, 1, 0)));
    rates.sample(2 * SECOND, List.of(tenant("a", 1, 25, 0, 8), tenant("b", 9, 187, 1.5, 0)));
    List<String> lines = rates.lines();
    assertThat(lines).hasSize(4).last().isEqualTo("");
    assertThat(lines.get(1))
        .containsPattern("^b +one +9 +2.5 Gbit/s +2 +90.0 MiB/s +█ +90 % +25 % +0 B/s");
    assertThat(lines.get(2))
        .containsPattern("^a +one +1 +- +2 +10.0 MiB/s +█ +10 % +0 % +4.0 MiB/s");
  }

  @Test
  void shouldShowNoRateAtFirst() {
    rates.sample(0, List.of(tenant("a", 1, 5, 3, 2)));
    assertThat(rates.lines().get(1)).containsPattern("^a +one +1 +- +2 +0 B/s +0 % +0 % +0 B/s");
  }
}
