package org.rddp.dpdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.rddp.dpdk.LayoutCheck.Field;

/** The comparison itself, against made-up shims. Needs no DPDK. */
class LayoutCheckTest {
  private final List<Field> shim = new ArrayList<>(LayoutCheck.bound());

  @Test
  void shouldKnowEveryStructAndMember() {
    assertThat(shim)
        .contains(new Field("rddp_port_stats", 0, 64), new Field("rddp_port_stats.tx_frames", 8, 8))
        .extracting(Field::name)
        .contains("rddp_port_info.mac", "rddp_port_stats.rx_no_buffer", "rddp_mbuf_layout.next");
  }

  @Test
  void shouldAcceptAShimThatAgrees() {
    assertThatCode(() -> LayoutCheck.check(shim)).doesNotThrowAnyException();
  }

  @Test
  void shouldNameAMemberThatMoved() {
    int at = shim.indexOf(new Field("rddp_port_stats.tx_frames", 8, 8));
    shim.set(at, new Field("rddp_port_stats.tx_frames", 16, 8));

    assertThatThrownBy(() -> LayoutCheck.check(shim))
        .isInstanceOf(DpdkException.class)
        .hasMessageContaining(
            "rddp_port_stats.tx_frames at 8 with 8 octets where the shim has"
                + " rddp_port_stats.tx_frames at 16");
  }

  @Test
  void shouldNameAMemberThatIsMissingInTheShim() {
    shim.removeLast();

    assertThatThrownBy(() -> LayoutCheck.check(shim))
        .isInstanceOf(DpdkException.class)
        .hasMessageContaining("rddp_port_stats.rx_no_buffer")
        .hasMessageContaining("where the shim has nothing");
  }

  @Test
  void shouldNameAMemberThatIsMissingInTheBindings() {
    shim.add(new Field("rddp_port_stats.rx_late", 64, 8));

    assertThatThrownBy(() -> LayoutCheck.check(shim))
        .isInstanceOf(DpdkException.class)
        .hasMessageContaining("have nothing where the shim has rddp_port_stats.rx_late");
  }
}
