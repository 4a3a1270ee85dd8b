package org.rddp.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStack;
import org.rddp.wire.Memory;

/** What TCP's checksum does not notice is dropped by MPA's CRC and sent again by TCP. */
class SilentDropOverTcpTest {
  private static final MpaSettings DROPPING = MpaSettings.DEFAULTS.withSilentDrop(true);
  private static final long SECOND = 1_000_000_000L;
  private static final long BUFFER = Memory.allocate(1 << 16);
  private static final byte[] NONE = {};

  /** Two stacks, the second behind a device that may drop frames. */
  private static final class Life {
    final NativePacketPool[] pools = {
      new NativePacketPool(256, 2048), new NativePacketPool(256, 2048)
    };
    final RecordingHandler sender = new RecordingHandler();
    final RecordingHandler receiver = new RecordingHandler();
    final MpaStartup to;
    final TcpStack first;
    final TcpStack second;
    final SpoilingDevice link;
    final List<byte[]> sent = new ArrayList<>();
    long now = SECOND;

    Life(MpaSettings settings, ToIntFunction<byte[]> bit) {
      LoopedDevice[] ends = LoopedDevice.pair(pools[0], pools[1], 1500, 100);
      link = new SpoilingDevice(ends[1], bit);
      TcpSettings tcp = TcpSettings.DEFAULTS.withMinimumRetransmission(SECOND / 100);
      first = new TcpStack(ends[0], address(1), tcp, new SplittableRandom(1), now);
      second = new TcpStack(link, address(2), tcp, new SplittableRandom(2), now);
      to = MpaStartup.responder(settings, receiver, receiver);
      receiver.uponRequest = () -> to.accept(NONE);
      second.listen(7, (stream, remote, port) -> to);
      first.connect(
          Ipv4Address.parse("10.99.0.2"), 7, MpaStartup.initiator(settings, NONE, sender, sender));
    }

    private static InterfaceAddress address(int host) {
      return new InterfaceAddress(Ipv4Address.parse("10.99.0." + host), 24);
    }

    /** Sends so many ULPDUs, and waits until they have arrived or it is of no use. */
    Life run(int ulpdus, Random random) {
      while (receiver.ulpdus.size() < ulpdus && receiver.error == null && now < 300 * SECOND) {
        MpaConnection from = sender.connection;
        while (sent.size() < ulpdus && from != null && from.sendable()) {
          byte[] ulpdu = new byte[1 + random.nextInt(from.mulpdu())];
          random.nextBytes(ulpdu);
          Memory.copy(ulpdu, 0, BUFFER, ulpdu.length);
          assertThat(from.send(BUFFER, 0, BUFFER, ulpdu.length)).isTrue();
          sent.add(ulpdu);
        }
        turn(first);
        turn(second);
        now += SECOND / 1000;
      }
      return this;
    }

    private void turn(TcpStack stack) {
      stack.receive(now);
      stack.advance(now);
      stack.transmit(now);
    }

    void assertEverythingArrived() {
      assertThat(receiver.error).isNull();
      assertThat(receiver.ulpdus).hasSameElementsAs(sent).hasSameSizeAs(sent);
      assertThat(sender.error).isNull();
      close();
    }

    void close() {
      first.close();
      second.close();
      link.close();
      assertThat(pools[1].available()).isEqualTo(pools[1].capacity());
    }
  }

  /** Turns a bit of the payload of the segments that chance picks, but not of a ULPDU_Length. */
  private static ToIntFunction<byte[]> nowAndThen(long seed, double often) {
    Random random = new Random(seed);
    return payload -> {
      boolean startup = payload.length >= 3 && payload[0] == 'M' && payload[1] == 'P';
      if (startup || payload.length < 20 || random.nextDouble() >= often) {
        return -1;
      }
      return 8 * 6 + random.nextInt(8 * (payload.length - 6));
    };
  }

  @Test
  @Tag("MPA-8-12")
  @DisplayName("RFC 5044 8: a segment that is corrupt once is sent again, and no error is reported")
  void shouldHaveACorruptSegmentSentAgain() {
    int[] segments = {0};
    Life life =
        new Life(DROPPING, payload -> payload.length > 100 && ++segments[0] == 5 ? 400 : -1);
    life.run(40, new Random(1)).assertEverythingArrived();
    assertThat(life.link.spoilt).isOne();
    assertThat(life.second.counters().refused).isOne();
    assertThat(life.second.counters().checksumErrors).isZero();
    assertThat(life.first.counters().retransmitted).isPositive();
  }

  @Test
  @Tag("MPA-8-12")
  @DisplayName("RFC 5044 8: whatever is corrupted, whenever, with Markers or packing or not")
  @Tag("D03-3.2-02")
  void shouldPassEveryUlpduOnALinkThatCorruptsManySegments() {
    long spoilt = 0;
    for (int seed = 0; seed < 32; seed++) {
      MpaSettings settings =
          DROPPING
              .withMarkers((seed & 1) != 0)
              .withEarly((seed & 2) != 0)
              .withPacking((seed & 4) != 0);
      Life life = new Life(settings, nowAndThen(seed, 0.04));
      life.run(150, new Random(seed)).assertEverythingArrived();
      assertThat(life.second.counters().refused).as("seed %d", seed).isEqualTo(life.link.spoilt);
      spoilt += life.link.spoilt;
    }
    assertThat(spoilt).isGreaterThan(100);
  }

  @Test
  @DisplayName("RFC 5044 8: without it the error is reported at once")
  void shouldReportACorruptSegmentOtherwise() {
    Life life = new Life(MpaSettings.DEFAULTS, payload -> payload.length > 100 ? 400 : -1);
    life.run(40, new Random(1));
    assertThat(life.receiver.error).isEqualTo(MpaError.CRC);
    assertThat(life.second.counters().refused).isZero();
    life.close();
  }

  @Test
  @DisplayName("RFC 5044 8: what comes corrupt again and again is reported, and TCP goes on")
  void shouldReportWhatStaysCorrupt() {
    Life life = new Life(DROPPING, payload -> payload.length > 100 ? 400 : -1);
    life.run(40, new Random(1));
    assertThat(life.receiver.error).isEqualTo(MpaError.CRC);
    assertThat(life.receiver.ulpdus.stream().mapToInt(ulpdu -> ulpdu.length))
        .allMatch(n -> n < 100);
    assertThat(life.second.counters().refused).isGreaterThanOrEqualTo(SilentDrop.ATTEMPTS);
    assertThat(life.receiver.events).doesNotContain("closed ABORTED");
    life.close();
  }
}
