package org.rddp.bench.layers;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The benchmarks of layers do what they measure, and allocate nothing: by the octets that HotSpot
 * counts for this thread, in the least of many rounds.
 */
class LayersTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int BURSTS = 500;
  private static final int MOST_ROUNDS = 100;

  /** The JVM may deoptimize now and then, and its interpreter then allocates. */
  private static long allocated(IntSupplier burst, int expected) {
    long least = Long.MAX_VALUE;
    for (int round = 0; round < MOST_ROUNDS && least > 0; round++) {
      int done = 0;
      long before = THREADS.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < BURSTS; i++) {
        done += burst.getAsInt();
      }
      least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
      assertThat(done).isEqualTo(BURSTS * expected);
    }
    return least;
  }

  @ParameterizedTest
  @CsvSource({"64, 1", "64, 1000", "1442, 1", "1442, 1000", "8938, 1", "8938, 1000"})
  void shouldPlaceWithoutAllocating(int octets, int regions) {
    DdpBenchmark.Placing ends = new DdpBenchmark.Placing();
    ends.octets = octets;
    ends.regions = regions;
    ends.open();

    long least =
        allocated(
            () -> {
              ends.prepare();
              return ends.deliverBurst();
            },
            RdmapPair.BURST);

    assertThat(least).isZero();
    assertThat(ends.placed()).isTrue();
    assertThat(ends.sent()).isPositive();
  }

  @ParameterizedTest
  @CsvSource({"64, 1", "1442, 1000", "8938, 1000"})
  void shouldSendAndReceiveWithoutAllocating(int octets, int regions) {
    DdpBenchmark.Receiving ends = new DdpBenchmark.Receiving();
    ends.octets = octets;
    ends.regions = regions;
    ends.open();

    long least =
        allocated(
            () -> {
              ends.prepare();
              return ends.deliverBurst();
            },
            RdmapPair.BURST);

    assertThat(least).isZero();
    assertThat(ends.placed()).isTrue();
    assertThat(ends.received()).isEqualTo(ends.sent()).isPositive();
  }

  @ParameterizedTest
  @CsvSource({"78, false", "1454, false", "8950, false", "1454, true"})
  void shouldPassUlpdusWithoutAllocating(int ulpdu, boolean markers) {
    MpaBenchmark.Receiving ends = new MpaBenchmark.Receiving();
    ends.ulpdu = ulpdu;
    ends.markers = markers;
    ends.open();

    long least =
        allocated(
            () -> {
              ends.prepare();
              return ends.receiveBurst();
            },
            MpaBenchmark.BURST);

    assertThat(least).isZero();
  }

  @ParameterizedTest
  @CsvSource({"84, 1", "84, 32", "1448, 1", "1448, 32"})
  void shouldCarrySegmentsWithoutAllocating(int payload, int burst) {
    TcpBenchmark.Answering connection = new TcpBenchmark.Answering();
    connection.payload = payload;
    connection.burst = burst;
    connection.open();

    long least =
        allocated(
            () -> {
              connection.prepare();
              connection.answer();
              return 0;
            },
            0);

    assertThat(least).isZero();
    assertThat(connection.taken()).isPositive();
    assertThat(connection.sent()).isGreaterThan(connection.taken());
  }

  @ParameterizedTest
  @CsvSource({"1", "32"})
  void shouldPassRequestsAndCompletionsWithoutAllocating(int batch) throws IOException {
    RingBenchmark rings = new RingBenchmark();
    rings.batch = batch;
    rings.open();

    long least =
        allocated(
            () -> {
              rings.write();
              rings.inlineWrite();
              rings.unsignalledWrite();
              return rings.outstanding();
            },
            0);

    assertThat(least).isZero();
  }

  @ParameterizedTest
  @CsvSource({"64, 1", "64, 32", "1408, 32"})
  void shouldWriteFromEndToEndWithoutAllocating(int octets, int batch) {
    TurnBenchmark turns = new TurnBenchmark();
    turns.octets = octets;
    turns.batch = batch;
    turns.open();
    long before = turns.written();

    long least =
        allocated(
            () -> {
              turns.write();
              return 0;
            },
            0);

    assertThat(least).isZero();
    assertThat(turns.written() - before).isGreaterThanOrEqualTo(BURSTS * TurnBenchmark.MESSAGES);
  }

  @ParameterizedTest
  @EnumSource
  void shouldEndRequestsWithoutAllocating(RequestKind kind) {
    EnginePair engines = EnginePair.overLink(64, 1500, true);

    long least = allocated(() -> engines.exchange(kind, 4), 4);

    assertThat(least).isZero();
  }

  @Test
  void shouldCarryFramesWithoutAllocating() throws Exception {
    DeviceBenchmark.Link link = new DeviceBenchmark.Link();
    link.device = "java";
    link.octets = 1514;
    link.open();

    assertThat(allocated(() -> link.carry(1) + link.carry(32), 128)).isZero();
    link.close();
  }
}
