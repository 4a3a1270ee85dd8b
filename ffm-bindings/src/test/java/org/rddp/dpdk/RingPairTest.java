package org.rddp.dpdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@RequiresDpdk
class RingPairTest {
  private static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
  private static final int BUFFERS = 511;
  private static final int BURST = 32;

  private final Arena arena = Arena.ofConfined();
  private final MemorySegment array = arena.allocate(ValueLayout.JAVA_LONG, BURST);
  private Mempool pool;
  private RingPair pair;

  @BeforeAll
  static void initialise() {
    TestEal.init();
    Eal.registerThread();
  }

  @AfterAll
  static void end() {
    Eal.unregisterThread();
    Eal.cleanup();
  }

  @BeforeEach
  void open() {
    pool = Mempool.create("pool", BUFFERS, 64, MbufLayout.HEADROOM + 2048, -1);
    pair = RingPair.create("test", 128);
    for (EthernetPort port : new EthernetPort[] {pair.first(), pair.second()}) {
      port.configure(PortSettings.DEFAULTS, pool);
      port.start();
    }
  }

  @AfterEach
  void close() {
    pair.close();
    pool.close();
    arena.close();
  }

  @Test
  void shouldCarryFramesBothWays() {
    passBurst(pair.first(), pair.second(), 1);
    passBurst(pair.second(), pair.first(), 2);

    assertThat(pool.available()).isEqualTo(BUFFERS);
    assertThat(pair.second().statistics().framesIn()).isEqualTo(BURST);
    assertThat(pair.second().statistics().framesOut()).isEqualTo(BURST);
  }

  @Test
  void shouldHandOverTheVeryBuffer() {
    long sent = pool.allocate();
    array.setAtIndex(ValueLayout.JAVA_LONG, 0, sent);
    assertThat(pair.first().transmit(0, array.address(), 1)).isEqualTo(1);
    array.setAtIndex(ValueLayout.JAVA_LONG, 0, 0);

    assertThat(pair.second().receive(0, array.address(), BURST)).isEqualTo(1);

    assertThat(array.getAtIndex(ValueLayout.JAVA_LONG, 0)).isEqualTo(sent);
    Mempool.free(sent);
  }

  @Test
  void shouldReceiveNothingFromAnEmptyLink() {
    assertThat(pair.first().receive(0, array.address(), BURST)).isZero();
  }

  @Test
  void shouldTakeNoMoreThanTheRingHolds() {
    int taken = 0;
    for (int burst = 0; burst < 4; burst++) {
      assertThat(pool.allocate(array.address(), BURST)).isTrue();
      int now = pair.first().transmit(0, array.address(), BURST);
      Mempool.free(array.address() + (long) now * Long.BYTES, BURST - now);
      taken += now;
    }

    assertThat(taken).isEqualTo(127);
  }

  @Test
  void shouldGiveBackFramesOnTheWayWhenClosed() {
    assertThat(pool.allocate(array.address(), BURST)).isTrue();
    assertThat(pair.first().transmit(0, array.address(), BURST)).isEqualTo(BURST);

    pair.close();

    assertThat(pool.available()).isEqualTo(BUFFERS);
    pair = RingPair.create("again", 128);
  }

  @Test
  void shouldSayWhatItIs() {
    EthernetPort port = pair.first();

    assertThat(port.info().name()).isEqualTo("net_ring_test_a");
    assertThat(port.info().driver()).isEqualTo("net_ring");
    assertThat(port.mayBlock()).isFalse();
    assertThat(port.up()).isTrue();
    assertThat(EthernetPort.open("net_ring_test_b").info()).isEqualTo(pair.second().info());
  }

  @Test
  void shouldTakeAnOffloadThatThePortHas() {
    EthernetPort port = pair.first();
    assertThat(port.info().transmitOffloads()).contains("MULTI_SEGS");
    port.stop();

    port.configure(PortSettings.DEFAULTS.withOffloads(Set.of(), Set.of("MULTI_SEGS")), pool);
    port.start();

    passBurst(port, pair.second(), 3);
  }

  @Test
  void shouldRefuseANameInUse() {
    assertThatThrownBy(() -> RingPair.create("test", 128))
        .isInstanceOf(DpdkException.class)
        .hasMessageContaining("test_to_a")
        .hasMessageContaining("The name must be new");
  }

  /** An allocation per burst shows in every round; the JIT's own allocations do not. */
  @Test
  void shouldAllocateNothingPerBurst() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 50 && least > 0; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 10_000; i++) {
        circulate();
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }

    assertThat(least).isZero();
    assertThat(pool.available()).isEqualTo(BUFFERS);
  }

  private void circulate() {
    long mbufs = array.address();
    pool.allocate(mbufs, BURST);
    pair.first().transmit(0, mbufs, BURST);
    pair.second().receive(0, mbufs, BURST);
    Mempool.free(mbufs, BURST);
  }

  private void passBurst(EthernetPort from, EthernetPort to, int seed) {
    assertThat(pool.allocate(array.address(), BURST)).isTrue();
    for (int i = 0; i < BURST; i++) {
      long mbuf = array.getAtIndex(ValueLayout.JAVA_LONG, i);
      MEMORY.set(ValueLayout.JAVA_SHORT, mbuf + MbufLayout.DATA_LEN, (short) 60);
      MEMORY.set(ValueLayout.JAVA_INT, mbuf + MbufLayout.PKT_LEN, 60);
      MEMORY.set(ValueLayout.JAVA_INT, dataOf(mbuf), seed + i);
    }
    assertThat(from.transmit(0, array.address(), BURST)).isEqualTo(BURST);
    array.fill((byte) 0);
    assertThat(to.receive(0, array.address(), BURST)).isEqualTo(BURST);
    for (int i = 0; i < BURST; i++) {
      long mbuf = array.getAtIndex(ValueLayout.JAVA_LONG, i);
      assertThat(MEMORY.get(ValueLayout.JAVA_INT, mbuf + MbufLayout.PKT_LEN)).isEqualTo(60);
      assertThat(MEMORY.get(ValueLayout.JAVA_INT, dataOf(mbuf))).isEqualTo(seed + i);
    }
    Mempool.free(array.address(), BURST);
  }

  private static long dataOf(long mbuf) {
    return MEMORY.get(ValueLayout.JAVA_LONG, mbuf + MbufLayout.BUF_ADDR)
        + Short.toUnsignedInt(MEMORY.get(ValueLayout.JAVA_SHORT, mbuf + MbufLayout.DATA_OFF));
  }
}
