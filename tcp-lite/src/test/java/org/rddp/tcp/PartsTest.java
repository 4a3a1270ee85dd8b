package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.rddp.device.NativePacketPool;
import org.rddp.tcp.handshake.KeyedHash;
import org.rddp.tcp.storage.EarlyRanges;
import org.rddp.tcp.storage.EarlyRangesPool;
import org.rddp.tcp.storage.EarlySegments;
import org.rddp.tcp.storage.RangeSet;
import org.rddp.tcp.storage.TcpConnectionTable;

/** Data structures of connections, compared with plain models. */
class PartsTest {
  @Test
  void shouldHashLikeSipHash() {
    // The reference's key 00..0f; its 16-octet message 00..0f.
    KeyedHash hash = new KeyedHash(0x0706050403020100L, 0x0f0e0d0c0b0a0908L);
    assertThat(hash.hash(0x0706050403020100L, 0x0f0e0d0c0b0a0908L)).isEqualTo(0x3f2acc7f57c29bdbL);
  }

  @Test
  void shouldFindTheConnectionsOfAHashMap() {
    Script script = new Script(Script.plain().withBacklog(1000).withConnections(1000));
    TcpConnectionTable<TcpConnection> table = new TcpConnectionTable<>(5);
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
      assertThat(table.findByTag(other.key)).isSameAs(model.get(other.key));
      assertThat(table.size()).isEqualTo(model.size());
    }
    assertThat(table.snapshot()).containsExactlyInAnyOrderElementsOf(model.values());
  }

  @Test
  void shouldMergeRangesLikeABitSet() {
    SplittableRandom random = new SplittableRandom(9);
    RangeSet ranges = new RangeSet(0);
    for (int life = 0; life < 300; life++) {
      ranges.clear();
      BitSet model = new BitSet();
      for (int i = 0; i < 40; i++) {
        int from = random.nextInt(330);
        int to = from + 1 + random.nextInt(20);
        model.set(from, to);
        int index = ranges.add(from, to);
        assertThat(ranges.start(index)).isLessThanOrEqualTo(from);
        assertThat(ranges.end(index)).isGreaterThanOrEqualTo(to);
        assertRanges(ranges, model);
        int at = random.nextInt(1, 360);
        boolean end = model.get(at - 1) && !model.get(at);
        assertThat(ranges.hasEndAt(at)).isEqualTo(end);
      }
    }
  }

  @Test
  void shouldKeepEarlyRangesLikeABitSet() {
    SplittableRandom random = new SplittableRandom(8);
    EarlyRangesPool pool = new EarlyRangesPool();
    for (int life = 0; life < 300; life++) {
      EarlyRanges ranges = pool.acquire();
      BitSet model = new BitSet();
      int packets = 0;
      for (int i = 1; i < 60; i++) {
        int from = model.nextClearBit(random.nextInt(330));
        int next = model.nextSetBit(from);
        int to = from + 1 + random.nextInt(20);
        to = next < 0 ? to : Math.min(to, next);
        model.set(from, to);
        packets++;
        assertThat(ranges.add(from, to, 1, 1000)).isTrue();
        assertThat(ranges.packets()).isEqualTo(packets);
        assertThat(ranges.octets()).isEqualTo(model.cardinality());
        assertRanges(ranges, model);
        int[] newest = new int[4];
        int found = ranges.mostRecent(newest, 3);
        assertThat(found).isEqualTo(Math.min(3, ranges.count()));
        assertThat(ranges.start(newest[0])).isLessThanOrEqualTo(from);
        assertThat(ranges.end(newest[0])).isGreaterThanOrEqualTo(to);
      }
      while (!ranges.isEmpty()) {
        model.clear((int) ranges.start(0), (int) ranges.end(0));
        packets -= ranges.takeFirst();
        assertRanges(ranges, model);
      }
      assertThat(packets).isZero();
      assertThat(ranges.octets()).isZero();
      pool.release(ranges);
    }
  }

  private static void assertRanges(RangeSet ranges, BitSet model) {
    int at = 0;
    for (int i = 0; i < ranges.count(); i++) {
      int start = model.nextSetBit(at);
      at = model.nextClearBit(start);
      assertThat(ranges.start(i)).isEqualTo(start);
      assertThat(ranges.end(i)).isEqualTo(at);
      assertThat(ranges.indexAfter(start)).isEqualTo(i);
      assertThat(ranges.indexAfter(at)).isEqualTo(i + 1);
    }
    assertThat(model.nextSetBit(at)).isEqualTo(-1);
  }

  @Test
  void shouldFindTheMostRecentRanges() {
    EarlyRanges ranges = new EarlyRanges();
    for (int i = 0; i < 6; i++) {
      assertThat(ranges.add(10L * i, 10L * i + 5, 1, 6)).isTrue();
    }
    assertThat(ranges.add(100, 105, 1, 6)).as("one range too many").isFalse();
    ranges.touch(2);
    int[] indices = new int[4];
    assertThat(ranges.mostRecent(indices, 4)).isEqualTo(4);
    assertThat(indices).containsExactly(2, 5, 4, 3);
    assertThat(ranges.add(5, 10, 1, 6)).isTrue();
    assertThat(ranges.mostRecent(indices, 3)).isEqualTo(3);
    assertThat(ranges.start(indices[0])).isZero();
    assertThat(ranges.end(indices[0])).isEqualTo(15);
    assertThat(ranges.start(indices[1])).isEqualTo(20);
  }

  @Test
  void shouldKeepEarlyPieces() {
    NativePacketPool pool = new NativePacketPool(200, 64);
    SplittableRandom random = new SplittableRandom(8);
    EarlySegments segments = new EarlySegments(pool);
    for (int life = 0; life < 300; life++) {
      long[] addressOf = new long[400];
      for (int i = 1; i < 60; i++) {
        int from = random.nextInt(330);
        int to = from;
        while (addressOf[to] == 0 && to < from + 50) {
          addressOf[to] = i * 1000L + to;
          to++;
        }
        if (to > from) {
          long packet = pool.allocate();
          segments.hold(from, i * 1000L + from, to - from, packet);
          pool.release(packet);
        }
        if (random.nextInt(3) == 0) {
          int first = random.nextInt(400);
          int behind = first + random.nextInt(400 - first);
          segments.discard(first, behind);
          Arrays.fill(addressOf, first, behind, 0);
        }
        assertThat(octets(segments)).isEqualTo(addressOf);
      }
      while (!segments.isEmpty()) {
        Arrays.fill(addressOf, (int) segments.position(0), (int) segments.end(0), 0);
        pool.release(segments.packet(0));
        segments.removeFirst();
        assertThat(octets(segments)).isEqualTo(addressOf);
      }
      assertThat(pool.available()).isEqualTo(pool.capacity());
    }
  }

  private static long[] octets(EarlySegments segments) {
    long[] octets = new long[400];
    long last = -1;
    for (int i = 0; i < segments.size(); i++) {
      assertThat(segments.position(i)).isGreaterThanOrEqualTo(last);
      for (int at = 0; at < segments.length(i); at++) {
        octets[(int) segments.position(i) + at] = segments.address(i) + at;
      }
      last = segments.end(i);
    }
    return octets;
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
