package org.rddp.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.gson.JsonObject;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class KernelTcpPingPongTest {
  @Test
  void shouldCountEveryRoundTripOverLoopback() throws Exception {
    int[] cpus = Affinity.allowed();
    RoundTrips trips =
        KernelTcpPingPong.overLoopback(64, 100, 1000, cpus[0], cpus[cpus.length - 1]);

    assertThat(trips.count()).isEqualTo(1000);
    assertThat(trips.device()).isEqualTo("lo");
    assertThat(trips.p50()).isPositive().isLessThanOrEqualTo(trips.p99());
    assertThat(trips.p99()).isLessThanOrEqualTo(trips.p999());
    assertThat(trips.p999()).isLessThanOrEqualTo(trips.max());
  }

  @Test
  void shouldMakeItsOwnNamespacesOrSayWhyNot() throws Exception {
    int[] cpus = Affinity.allowed();
    int last = cpus[cpus.length - 1];
    if (mayMakeNamespaces()) {
      RoundTrips trips = KernelTcpPingPong.overVeth(64, 100, 1000, cpus[0], last);
      assertThat(trips.count()).isEqualTo(1000);
      assertThat(trips.device()).isEqualTo("veth");
    } else {
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> KernelTcpPingPong.overVeth(64, 100, 1000, cpus[0], last))
          .withMessageContaining("unshare");
    }
  }

  @Test
  void shouldNameTheFiguresInJson() {
    JsonObject json = new RoundTrips(1, 2, 3, 4, 5, "veth").toJson();
    assertThat(json)
        .hasToString("{\"p50\":1,\"p99\":2,\"p999\":3,\"max\":4,\"count\":5,\"device\":\"veth\"}");
  }

  /** Tries, on a thread of its own: it stays in the namespace. */
  private static boolean mayMakeNamespaces() throws Exception {
    try (PinnedThread<Boolean> thread =
        PinnedThread.start(
            "namespace", Affinity.allowed()[0], KernelTcpPingPongTest::makesNamespace)) {
      return thread.join();
    }
  }

  private static boolean makesNamespace() {
    try {
      NetworkNamespace.enterNew();
      return true;
    } catch (IOException refused) {
      return false;
    }
  }
}
