package org.rddp.ipc.ring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Numbers of connections and other objects of a session. */
class ConnectionIdTest {
  private static final int GENERATIONS = 4095;

  @ParameterizedTest
  @ValueSource(ints = {0, Integer.MAX_VALUE - 2 * GENERATIONS, -2 * GENERATIONS})
  void shouldChangeTheNumberWithEachGeneration(int first) {
    int before = ConnectionId.of(7, first);
    for (int i = 1; i < 4 * GENERATIONS; i++) {
      int number = ConnectionId.of(7, first + i);
      assertThat(number).as("generation %d", first + i).isNotEqualTo(before).isNotZero();
      assertThat(ConnectionId.index(number)).isEqualTo(7);
      before = number;
    }
  }
}
