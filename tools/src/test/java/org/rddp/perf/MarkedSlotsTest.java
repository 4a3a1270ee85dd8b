package org.rddp.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MarkedSlotsTest {
  @ParameterizedTest
  @CsvSource({"1, 1", "2, 1", "64, 3", "65, 3", "1, 5"})
  void shouldTellEveryMessageFromTheOnesBefore(int size, int count) {
    MarkedSlots slots = new MarkedSlots(size, count);
    MemorySegment memory = MemorySegment.ofArray(new byte[(int) slots.octets()]);
    for (long number = 0; number < 1000; number++) {
      assertThat(slots.at(number)).isLessThanOrEqualTo(slots.octets() - size);
      assertThat(slots.hasArrived(memory, number)).isFalse();
      slots.mark(memory, number);
      assertThat(slots.hasArrived(memory, number)).isTrue();
      assertThat(slots.hasArrived(memory, number + count)).isFalse();
    }
  }

  @ParameterizedTest
  @CsvSource({"64, 0", "64, 63"})
  void shouldWaitForBothEndsOfAMessage(int size, int missing) {
    MarkedSlots slots = new MarkedSlots(size, 1);
    byte[] octets = new byte[(int) slots.octets()];
    slots.mark(MemorySegment.ofArray(octets), 0);
    octets[missing] = 0;
    assertThat(slots.hasArrived(MemorySegment.ofArray(octets), 0)).isFalse();
  }
}
