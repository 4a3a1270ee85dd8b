package org.rddp.daemon.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.rddp.daemon.configuration.TenantConfiguration;

/** Who is which tenant of an interface. */
class InterfaceTenantsTest {
  private static final TenantConfiguration NAMED =
      new TenantConfiguration("storage", List.of(7, 8), 9, 1_000_000, 4096);

  private static final TenantConfiguration OTHERS =
      new TenantConfiguration("", List.of(), 2, 2_000_000, 4096);

  @Test
  void shouldBeNoneWhereNothingIsConfigured() {
    assertThat(InterfaceTenants.of(List.of(), 0)).isNull();
    assertThat(InterfaceTenants.of(List.of(), 1_000_000).limit()).isNotNull();
    assertThat(InterfaceTenants.of(List.of(NAMED), 0).limit()).isNull();
  }

  @Test
  void shouldHaveOneTenantForTheUsersOfATable() {
    InterfaceTenants tenants = InterfaceTenants.of(List.of(NAMED, OTHERS), 0);
    assertThat(tenants.named()).containsExactly(tenants.of(7));
    assertThat(tenants.of(8)).isSameAs(tenants.of(7));
    assertThat(tenants.of(7).configured()).isEqualTo(NAMED);
    assertThat(tenants.of(7).limit()).as("of all engines").isSameAs(tenants.of(8).limit());
  }

  @Test
  void shouldMakeEachOtherUserATenant() {
    InterfaceTenants tenants = InterfaceTenants.of(List.of(NAMED, OTHERS), 0);
    TenantShare one = tenants.of(1);
    assertThat(one.name()).isEqualTo("1");
    assertThat(one.users()).containsExactly(1);
    assertThat(one.configured().weight()).isEqualTo(2);
    assertThat(tenants.of(1)).isSameAs(one);
    assertThat(tenants.of(2).limit()).isNotSameAs(one.limit());
    assertThat(InterfaceTenants.of(List.of(NAMED), 0).of(1).configured().weight()).isOne();
  }

  @Test
  void shouldKeepABoundedNumberOfUsersApart() {
    InterfaceTenants tenants = InterfaceTenants.of(List.of(OTHERS), 0);
    for (int user = 0; user < 1024; user++) {
      assertThat(tenants.of(user).name()).isEqualTo(Integer.toString(user));
    }
    TenantShare rest = tenants.of(5000);
    assertThat(rest.name()).isEqualTo("others");
    assertThat(tenants.of(6000)).isSameAs(rest);
    assertThat(tenants.of(3).name()).isEqualTo("3");
  }
}
