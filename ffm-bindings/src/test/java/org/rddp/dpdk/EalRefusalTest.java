package org.rddp.dpdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** DPDK can be initialised once: first the refusals before that, then DPDK's own. */
@RequiresDpdk
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class EalRefusalTest {
  private static final List<String> WRONG = TestEal.arguments().and("--vdev=nosuch0").list();

  @Test
  @Order(1)
  void shouldSayWhatToDoWithoutHugepages() {
    assertThatThrownBy(() -> Eal.requireMemory(EalArguments.hugepages().list(), 0))
        .isInstanceOf(DpdkException.class)
        .hasMessageContaining("vm.nr_hugepages")
        .hasMessageContaining("--no-huge");
    Eal.requireMemory(TestEal.arguments().list(), 0);
    Eal.requireMemory(EalArguments.hugepages().list(), 1 << 21);
  }

  @Test
  @Order(2)
  void shouldReportWhatDpdkRefuses() {
    assertThatThrownBy(() -> Eal.init(WRONG))
        .isInstanceOf(DpdkException.class)
        .hasMessageContaining("--vdev=nosuch0")
        .hasMessageContaining("No such device (errno 19)")
        .hasMessageContaining("must be started again")
        .extracting(e -> ((DpdkException) e).errno())
        .isEqualTo(19);
    assertThat(Eal.initialised()).isFalse();
  }

  @Test
  @Order(3)
  void shouldNotTryTwice() {
    assertThatThrownBy(TestEal::init)
        .isInstanceOf(DpdkException.class)
        .hasMessageContaining("done or tried");
  }
}
