package org.rddp.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PortClaimsTest {
  private static final int REMOTE = 0x0a00_0002;
  private static final int LAST_STACK = StackGroup.MOST - 1;

  private final PortClaims claims = new PortClaims();
  private final int slot = PortClaims.slot(REMOTE, 7, 50_000);

  @Test
  void shouldGiveAPlaceToOneStack() {
    assertThat(claims.owner(slot)).isEqualTo(-1);
    assertThat(claims.claim(slot, LAST_STACK)).isTrue();
    assertThat(claims.claim(slot, 0)).isFalse();
    assertThat(claims.owner(slot)).isEqualTo(LAST_STACK);
    claims.release(slot, LAST_STACK);
    assertThat(claims.owner(slot)).isEqualTo(-1);
    assertThat(claims.claim(slot, 0)).isTrue();
    assertThat(claims.owner(slot)).isZero();
  }

  @Test
  void shouldKeepAPlaceUntilTheLastConnectionOfTheStackHasEnded() {
    int connections = 0;
    while (claims.claim(slot, 3)) {
      connections++;
    }
    assertThat(connections).isEqualTo(2047);
    for (int i = 0; i < connections; i++) {
      assertThat(claims.owner(slot)).isEqualTo(3);
      claims.release(slot, 3);
    }
    assertThat(claims.owner(slot)).isEqualTo(-1);
    assertThatThrownBy(() -> claims.release(slot, 3)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldHaveAPlaceForEachEphemeralPortTowardsOneAddressAndPort() {
    assertThat(PortClaims.slot(REMOTE, 7, 49_151)).isEqualTo(PortClaims.NONE);
    assertThat(IntStream.range(49_152, 65_536).map(port -> PortClaims.slot(REMOTE, 7, port)))
        .doesNotHaveDuplicates()
        .allMatch(each -> each >= 0);
  }

  @Test
  void shouldForgetTheClaimsOfOneStack() {
    int other = PortClaims.slot(REMOTE, 7, 50_001);
    claims.claim(slot, 1);
    claims.claim(other, 2);
    claims.forget(1);
    assertThat(claims.owner(slot)).isEqualTo(-1);
    assertThat(claims.owner(other)).isEqualTo(2);
  }

  /** Stacks that race for all places have each place once, and lose none that they release. */
  @Test
  void shouldGiveEachPlaceToOneOfTheStacksThatRaceForIt() {
    int stacks = 4;
    int rounds = 200;
    CyclicBarrier together = new CyclicBarrier(stacks);
    List<CompletableFuture<Integer>> races = new ArrayList<>();
    for (int i = 0; i < stacks; i++) {
      int stack = i;
      races.add(
          CompletableFuture.supplyAsync(
              () -> {
                int won = 0;
                for (int round = 0; round < rounds; round++) {
                  meet(together);
                  List<Integer> mine = new ArrayList<>();
                  for (int port = 50_000; port < 50_064; port++) {
                    int place = PortClaims.slot(REMOTE, 7, port);
                    if (claims.claim(place, stack)) {
                      mine.add(place);
                    }
                  }
                  meet(together);
                  mine.forEach(place -> assertThat(claims.owner(place)).isEqualTo(stack));
                  won += mine.size();
                  meet(together);
                  mine.forEach(place -> claims.release(place, stack));
                }
                return won;
              },
              command -> new Thread(command).start()));
    }
    assertThat(races.stream().mapToInt(CompletableFuture::join).sum()).isEqualTo(64 * rounds);
    assertThat(claims.owner(slot)).isEqualTo(-1);
  }

  private static void meet(CyclicBarrier together) {
    try {
      together.await();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
