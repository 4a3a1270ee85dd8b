package org.rddp.ipc.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.rddp.ipc.linux.SharedMemory;

class CountersTest {
  private static Map<String, Long> read(Counters counters) {
    Map<String, Long> values = new TreeMap<>();
    counters.forEach(values::put);
    return values;
  }

  @Test
  void shouldShareNamesAndValuesWithAReader() throws IOException {
    try (Counters ours = Counters.create(4);
        Counters theirs = Counters.open(ours.descriptor().duplicate())) {
      assertThat(read(theirs)).isEmpty();
      Counter frames = ours.add("frames");
      Counter octets = ours.add("octets of µ");
      frames.increment();
      frames.increment();
      octets.add(1L << 40);
      octets.add(-1);
      assertThat(read(theirs))
          .containsExactly(Map.entry("frames", 2L), Map.entry("octets of µ", (1L << 40) - 1));
      frames.remove();
      assertThat(read(theirs)).containsOnlyKeys("octets of µ");
      assertThat(ours.add("again").get()).isZero();
      assertThat(read(theirs)).containsKeys("again", "octets of µ");
    }
  }

  @Test
  void shouldCountEvenIfAllRecordsAreInUse() throws IOException {
    try (Counters counters = Counters.create(1)) {
      Counter seen = counters.add("seen");
      Counter unseen = counters.add("unseen");
      unseen.increment();
      assertThat(unseen.get()).isEqualTo(1);
      unseen.remove();
      seen.set(9);
      assertThat(read(counters)).containsExactly(Map.entry("seen", 9L));
    }
  }

  @Test
  void shouldTruncateLongNames() throws IOException {
    try (Counters counters = Counters.create(1)) {
      counters.add("x".repeat(500));
      assertThat(read(counters)).containsOnlyKeys("x".repeat(112));
    }
  }

  @Test
  void shouldRejectOtherMemory() throws IOException {
    try (SharedMemory other = SharedMemory.createForReaders("test", 4096)) {
      assertThatThrownBy(() -> Counters.open(other.descriptor().duplicate()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("RDDPCNTR");
      SharedMemoryHeader.write(other.segment(), "RDDPCNTR", 1, 1000, 0);
      assertThatThrownBy(() -> Counters.open(other.descriptor().duplicate()))
          .isInstanceOf(IOException.class);
      SharedMemoryHeader.write(other.segment(), "RDDPCNTR", 2, 1, 0);
      assertThatThrownBy(() -> Counters.open(other.descriptor().duplicate()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("version 2");
    }
  }

  @Test
  void shouldThrowAfterClose() throws IOException {
    Counters counters = Counters.create(1);
    Counter counter = counters.add("x");
    counters.close();
    counters.close();
    assertThatThrownBy(counter::increment).isInstanceOf(IllegalStateException.class);
  }
}
