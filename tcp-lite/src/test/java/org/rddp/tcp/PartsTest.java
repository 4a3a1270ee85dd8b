package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.rddp.device.NativePacketPool;

/** The parts of a connection by themselves, against plain models of what they should do. */
class PartsTest {
  private static final long MILLISECOND = 1_000_000;

  @Test
  void shouldHashAsSipHashDoes() {
    // The reference's key 00..0f; its 16-octet message 00..0f.
    KeyedHash hash = new KeyedHash(0x0706050403020100L, 0x0f0e0d0c0b0a0908L);
    assertThat(hash.hash(0x0706050403020100L, 0x0f0e0d0c0b0a0908L)).isEqualTo(0x3f2acc7f57c29bdbL);
  }

  @Test
  void shouldComputeTheTimeoutAsRfc6298Does() {
    TcpSettings settings =
        TcpSettings.DEFAULTS
            .withMinimumRetransmission(1)
            .withMaximumRetransmission(60_000 * MILLISECOND)
            .withInitialRetransmission(1000 * MILLISECOND);
    RetransmissionTimeout timeout = new RetransmissionTimeout(settings);
    assertThat(timeout.current()).isEqualTo(1000 * MILLISECOND);
    timeout.measured(100 * MILLISECOND);
    assertThat(timeout.smoothed()).isEqualTo(100 * MILLISECOND);
    assertThat(timeout.current()).isEqualTo(300 * MILLISECOND);
    timeout.measured(180 * MILLISECOND);
    // RTTVAR = 3/4 * 50 + 1/4 * 80 = 57.5; SRTT = 7/8 * 100 + 1/8 * 180 = 110.
    assertThat(timeout.smoothed()).isEqualTo(110 * MILLISECOND);
    assertThat(timeout.current()).isEqualTo(340 * MILLISECOND);
    timeout.backOff();
    timeout.backOff();
    assertThat(timeout.current()).isEqualTo(1360 * MILLISECOND);
    for (int i = 0; i < 100; i++) {
      timeout.backOff();
    }
    assertThat(timeout.current()).isEqualTo(60_000 * MILLISECOND);
    timeout.measured(110 * MILLISECOND);
    assertThat(timeout.current()).isLessThan(340 * MILLISECOND);
  }

  @Test
  void shouldFindWhatAHashMapFinds() {
    Script script = new Script(Script.plain().withBacklog(1000).withConnections(1000));
    ConnectionTable table = new ConnectionTable(5);
    Map<Long, TcpConnection> model = new HashMap<>();
    List<TcpConnection> some = new ArrayList<>();
    for (int port = 1; port <= 200; port++) {
      some.add(script.stack.connect(Script.THEIRS, port, new Recorder()));
    }
    SplittableRandom random = new SplittableRandom(6);
    for (int i = 0; i < 20_000; i++) {
      TcpConnection one = some.get(random.nextInt(some.size()));
      if (model.containsKey(one.key)) {
        model.remove(one.key);
        table.remove(one);
        table.remove(one);
      } else {
        model.put(one.key, one);
        table.add(one);
      }
      TcpConnection other = some.get(random.nextInt(some.size()));
      assertThat(table.get(other.key)).isSameAs(model.get(other.key));
      assertThat(table.size()).isEqualTo(model.size());
    }
    assertThat(table.snapshot()).containsExactlyInAnyOrderElementsOf(model.values());
  }

  @Test
  void shouldHoldRangesAsASetOfOctetsWould() {
    NativePacketPool pool = new NativePacketPool(200, 64);
    SplittableRandom random = new SplittableRandom(8);
    for (int life = 0; life < 300; life++) {
      ReceiveQueue queue = new ReceiveQueue(pool, 1000);
      int[] firstTo = new int[400];
      for (int i = 1; i < 60; i++) {
        long packet = pool.allocate();
        int position = random.nextInt(330);
        int length = 1 + random.nextInt(60);
        int expected = 0;
        for (int at = position; at < position + length; at++) {
          if (firstTo[at] == 0) {
            firstTo[at] = i;
            expected++;
          }
        }
        // Addresses tell which segment an octet came in, and where in it.
        assertThat(queue.add(position, i * 1000L + position, length, packet)).isEqualTo(expected);
        pool.release(packet);
      }
      long end = -1;
      while (!queue.isEmpty()) {
        assertThat(queue.position()).isGreaterThanOrEqualTo(end);
        for (int i = 0; i < queue.length(); i++) {
          int at = (int) queue.position() + i;
          assertThat(queue.address() + i).isEqualTo(firstTo[at] * 1000L + at);
          firstTo[at] = 0;
        }
        end = queue.position() + queue.length();
        pool.release(queue.packet());
        queue.removeFirst();
      }
      assertThat(firstTo).containsOnly(0);
      assertThat(pool.available()).isEqualTo(pool.capacity());
    }
  }

  @Test
  void shouldKeepSegmentsThroughGrowthAndSplits() {
    NativePacketPool pool = new NativePacketPool(400, 1024);
    SendQueue queue = new SendQueue(pool);
    Pattern pattern = new Pattern(3);
    long position = 0;
    SplittableRandom random = new SplittableRandom(4);
    for (int round = 0; round < 2000; round++) {
      if (queue.size() < 100 && random.nextInt(3) > 0) {
        long packet = pool.allocate();
        int length = 2 + random.nextInt(1000);
        pattern.write(position, pool.address(packet), length);
        pool.window(packet, pool.address(packet), length);
        queue.add(packet);
        position += length;
      } else if (queue.size() > 0 && random.nextInt(4) == 0) {
        long number = queue.head() + random.nextInt(queue.size());
        if (queue.length(number) > 1) {
          queue.split(number, 1 + random.nextInt(queue.length(number) - 1));
        }
      } else if (queue.size() > 0) {
        queue.acknowledge(queue.headPosition() + random.nextInt(2000));
      }
      long at = queue.headPosition();
      for (long number = queue.head(); number < queue.tail(); number++) {
        assertThat(pattern.mismatch(at, queue.payload(number), queue.length(number))).isEqualTo(-1);
        at += queue.length(number);
      }
      assertThat(at).isEqualTo(queue.endPosition()).isEqualTo(position);
    }
    queue.clear();
    assertThat(pool.available()).isEqualTo(pool.capacity());
  }

  @Test
  void shouldTakeNoRoundTripFromSegmentsThatWaitedForARetransmission() {
    NativePacketPool pool = new NativePacketPool(8, 2048);
    SendQueue queue = new SendQueue(pool);
    for (int i = 0; i < 4; i++) {
      long packet = pool.allocate();
      pool.window(packet, pool.address(packet), 100);
      queue.add(packet);
      queue.sent(i, 1000 + i);
    }
    queue.sent(1, SendQueue.AMBIGUOUS);
    assertThat(queue.acknowledge(100)).isEqualTo(1000);
    assertThat(queue.acknowledge(300)).isEqualTo(SendQueue.AMBIGUOUS);
    assertThat(queue.acknowledge(400)).isEqualTo(1003);
  }

  @Test
  void shouldRefuseSettingsOutOfRange() {
    assertThatThrownBy(() -> TcpSettings.DEFAULTS.withReceiveBuffer(100))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("receive buffer");
    assertThatThrownBy(() -> TcpSettings.DEFAULTS.withBacklog(0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> TcpSettings.DEFAULTS.withInitialRetransmission(1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> TcpSettings.DEFAULTS.withConnectTimeout(0))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
