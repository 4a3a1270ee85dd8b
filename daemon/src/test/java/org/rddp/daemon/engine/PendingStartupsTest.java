package org.rddp.daemon.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.rddp.ip.Ipv4Address;
import org.rddp.ip.Ipv6Address;

class PendingStartupsTest {
  private final PendingStartups<String> startups = new PendingStartups<>(4);

  @Test
  void shouldHaveRoomForSoMany() {
    for (String each : List.of("a", "b", "c", "d")) {
      assertThat(startups.add(host(1), each)).isNull();
    }
    assertThat(startups.size()).isEqualTo(4);
    startups.remove(host(1), "b");
    startups.remove(host(1), "b");
    startups.remove(host(2), "a");
    assertThat(startups.add(host(1), "e")).isNull();
    assertThat(startups.add(host(1), "f")).isEqualTo("a");
    assertThat(startups.size()).isEqualTo(4);
  }

  @Test
  void shouldTakeTheOldestOfTheAddressThatHasMost() {
    startups.add(host(1), "a1");
    startups.add(host(2), "b1");
    startups.add(host(2), "b2");
    startups.add(host(3), "c1");
    assertThat(startups.add(host(1), "a2")).as("2 had two first").isEqualTo("b1");
    assertThat(startups.add(host(4), "d1")).isEqualTo("a1");
    assertThat(startups.add(host(5), "e1")).as("each has one").isEqualTo("c1");
  }

  /** Random arrivals and ends, beside a model that looks at everything. */
  @Test
  void shouldDoAsASimpleModelDoes() {
    SplittableRandom random = new SplittableRandom(6581);
    PendingStartups<Integer> pending = new PendingStartups<>(50);
    Map<Integer, ArrayDeque<Integer>> model = new TreeMap<>();
    for (int i = 0; i < 20_000; i++) {
      int address = random.nextInt(1 + random.nextInt(20));
      ArrayDeque<Integer> own = model.computeIfAbsent(address, any -> new ArrayDeque<>());
      if (random.nextInt(4) == 0 && !own.isEmpty()) {
        Integer any = new ArrayList<>(own).get(random.nextInt(own.size()));
        own.remove(any);
        pending.remove(host(address), any);
      } else {
        own.add(i);
        Integer evicted = pending.add(host(address), i);
        int most = model.values().stream().mapToInt(ArrayDeque::size).max().orElseThrow();
        int size = model.values().stream().mapToInt(ArrayDeque::size).sum();
        assertThat(evicted != null).isEqualTo(size > 50);
        if (evicted != null) {
          ArrayDeque<Integer> from =
              model.values().stream().filter(each -> each.contains(evicted)).findFirst().get();
          assertThat(from).hasSize(most).first().isEqualTo(evicted);
          from.remove(evicted);
        }
      }
      assertThat(pending.size())
          .isEqualTo(model.values().stream().mapToInt(ArrayDeque::size).sum());
    }
  }

  @Test
  void shouldCountTheAddressesOfOneIpv6HostTogether() {
    PendingStartups<String> few = new PendingStartups<>(3);
    few.add(new Ipv6Address(1, 1), "a1");
    few.add(host(1), "b1");
    few.add(new Ipv6Address(1, 2), "a2");
    assertThat(few.add(host(2), "c1")).isEqualTo("a1");
    few.remove(new Ipv6Address(1, 2), "a2");
    assertThat(few.size()).isEqualTo(2);
  }

  private static Ipv4Address host(int number) {
    return new Ipv4Address(number);
  }
}
