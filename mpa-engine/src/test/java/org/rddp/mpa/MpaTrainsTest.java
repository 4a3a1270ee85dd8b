package org.rddp.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStack;
import org.rddp.wire.Memory;

/** FPDUs one behind the other in frames that are longer than the MTU. */
class MpaTrainsTest {
  private static final int PORT = 9999;
  private static final int MTU = 1500;
  private static final int LONGEST = 16_384;
  private static final long SECOND = 1_000_000_000L;
  private static final long BUFFER = Memory.allocate(1 << 16);
  private static final byte[] NONE = {};

  private final NativePacketPool pool = new NativePacketPool(512, 2048, 64, LONGEST + 64);
  private final LoopedDevice[] link = LoopedDevice.pair(pool, pool, MTU, LONGEST, 200);
  private final RecordingHandler received = new RecordingHandler();
  private final List<byte[]> sent = new ArrayList<>();
  private final Random random = new Random(3);
  private MpaConnection sender;
  private TcpStack first;
  private TcpStack second;
  private long now = SECOND;

  private void open(MpaSettings settings) {
    first = stack(1);
    second = stack(2);
    RecordingHandler ready = new RecordingHandler();
    MpaStartup receiver = MpaStartup.responder(settings, received, received);
    received.uponRequest = () -> receiver.accept(NONE);
    second.listen(PORT, (stream, remote, port) -> receiver);
    first.connect(
        Ipv4Address.parse("10.99.0.2"), PORT, MpaStartup.initiator(settings, NONE, ready, ready));
    while (ready.connection == null) {
      turn();
    }
    sender = ready.connection;
  }

  private TcpStack stack(int host) {
    return new TcpStack(
        link[host - 1],
        new InterfaceAddress(Ipv4Address.parse("10.99.0." + host), 24),
        TcpSettings.DEFAULTS.withReceiveBuffer(1 << 20).withPacedRoundTrip(Long.MAX_VALUE),
        new SplittableRandom(host),
        now);
  }

  private void turn() {
    for (TcpStack each : List.of(first, second)) {
      each.receive(now);
      each.advance(now);
      each.transmit(now);
    }
    now += SECOND / 1000;
    assertThat(now).isLessThan(100 * SECOND);
  }

  private void send(int length, boolean more) {
    byte[] ulpdu = new byte[length];
    random.nextBytes(ulpdu);
    Memory.copy(ulpdu, 0, BUFFER, length);
    assertThat(sender.send(BUFFER, 14, BUFFER + 14, length - 14, more)).isTrue();
    sent.add(ulpdu);
  }

  private void end() {
    while (received.ulpdus.size() < sent.size() && received.error == null) {
      turn();
    }
    turn();
    assertThat(received.detail).isNull();
    assertThat(received.ulpdus).containsExactlyElementsOf(sent);
    first.close();
    second.close();
    link[0].close();
    link[1].close();
    assertThat(pool.available()).isEqualTo(pool.capacity());
    assertThat(pool.longAvailable()).isEqualTo(pool.longCapacity());
  }

  @ParameterizedTest
  @CsvSource({"false, false", "false, true", "true, false", "true, true"})
  @DisplayName("RFC 5044 A: each FPDU of a train is a segment of its own, and arrives whole")
  void shouldSendFullFpdusAsTrains(boolean markers, boolean packing) {
    open(MpaSettings.DEFAULTS.withMarkers(markers).withPacking(packing));
    for (int burst = 0; burst < 20; burst++) {
      for (int i = 0; i < 10 && sender.sendable(); i++) {
        send(i == 9 ? 100 + burst : sender.mulpdu(), i < 9);
      }
      turn();
      turn();
    }
    end();
    assertThat(first.counters().trainsOut).isGreaterThan(15);
    assertThat(first.counters().trainSegmentsOut).isGreaterThan(3 * first.counters().trainsOut);
    assertThat(first.counters().retransmitted).isZero();
    // Markers cut a ULPDU into pieces, too.
    assertThat(received.fragments).allMatch(pieces -> markers || pieces == 1);
  }

  @Test
  @Tag("MPA-4.3-04")
  @Tag("MPA-4.5-03")
  @DisplayName("RFC 5044 4.5: with Markers, MULPDU varies so that a train's FPDUs have one size")
  void shouldKeepTheSizeOfFpdusWithMarkers() {
    open(MpaSettings.DEFAULTS.withMarkers(true).withPacking(false));
    List<Integer> sizes = new ArrayList<>();
    Set<Integer> ulpdus = new HashSet<>();
    sender.observe(
        new FpduObserver() {
          @Override
          public void onSent(long end, int size, long head, int headLength, int length) {
            sizes.add(size);
          }

          @Override
          public void onReceived(int size, Ulpdu ulpdu) {}
        });
    for (int burst = 0; burst < 40; burst++) {
      sizes.clear();
      for (int i = 0; i < 10; i++) {
        ulpdus.add(sender.mulpdu());
        send(sender.mulpdu(), i < 9);
      }
      assertThat(sizes).allMatch(size -> size <= 1448 && size >= 1440);
      long others = sizes.stream().filter(size -> !size.equals(sizes.getFirst())).count();
      // One that ends where the next Marker begins leaves that to the next FPDU.
      assertThat(others).isLessThan(2);
      turn();
      turn();
    }
    end();
    assertThat(ulpdus).hasSizeGreaterThan(1);
    assertThat(first.counters().trainSegmentsOut).isGreaterThan(8 * first.counters().trainsOut);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Tag("MPA-5.1-05")
  @Tag("MPA-4.5-03")
  @DisplayName("RFC 5044 A.2: MULPDU fills the segment of a small FPDU, and the train goes on")
  void shouldFillASegmentOfATrain(boolean markers) {
    open(MpaSettings.DEFAULTS.withMarkers(markers).withPacking(true));
    for (int burst = 0; burst < 40; burst++) {
      send(sender.mulpdu(), true);
      int tail = 100 + 30 * burst;
      send(tail, true);
      int filling = sender.mulpdu();
      assertThat(filling).isLessThan(sender.fullMulpdu());
      assertThat(sender.joinsLast()).isTrue();
      send(filling, true);
      if (!markers) {
        assertThat(filling + tail).isBetween(1448 - 12 - 3, 1448 - 12);
      }
      send(sender.mulpdu(), false);
      turn();
      turn();
    }
    end();
    assertThat(first.counters().trainsOut).isGreaterThanOrEqualTo(40);
    // With Markers some FPDUs cannot fill their segment.
    assertThat(first.counters().trainsOut).isLessThan(markers ? 60 : 41);
  }

  @ParameterizedTest
  @CsvSource({"1296, true", "1312, true", "1316, false", "1436, false"})
  @Tag("MPA-4.5-09")
  @DisplayName("RFC 5044 4.5: a rest for which MULPDU would be less than 128 ends the train")
  void shouldEndATrainThatLeavesTooLittle(int tail, boolean goesOn) {
    open(MpaSettings.DEFAULTS.withMarkers(false).withPacking(true));
    int full = sender.mulpdu();
    send(full, true);
    send(tail - 6, true);
    assertThat(sender.joinsLast()).isEqualTo(goesOn);
    assertThat(sender.mulpdu()).isEqualTo(goesOn ? 1448 - tail - 6 : full);
    send(sender.mulpdu(), true);
    send(sender.mulpdu(), false);
    end();
    assertThat(first.counters().trainsOut).isEqualTo(goesOn ? 1 : 2);
  }

  @Test
  @DisplayName("without packing a small FPDU ends its train")
  void shouldNotFillASegmentWithoutPacking() {
    open(MpaSettings.DEFAULTS.withMarkers(false).withPacking(false));
    send(sender.mulpdu(), true);
    send(100, true);
    assertThat(sender.joinsLast()).isFalse();
    send(100, true);
    end();
    assertThat(first.counters().trainSegmentsOut).isEqualTo(2);
  }

  @Test
  @DisplayName("RFC 5044 A.2: small FPDUs begin no train, and are packed as elsewhere")
  void shouldBeginNoTrainWithASmallFpdu() {
    open(MpaSettings.DEFAULTS.withMarkers(false).withPacking(true));
    for (int i = 0; i < 5; i++) {
      send(200, true);
    }
    end();
    assertThat(first.counters().trainsOut).isZero();
  }

  @Test
  @DisplayName("an FPDU that nothing follows needs no long packet")
  void shouldBeginNoTrainWithALoneFpdu() {
    open(MpaSettings.DEFAULTS.withMarkers(false));
    send(sender.mulpdu(), false);
    assertThat(pool.longAvailable()).isEqualTo(pool.longCapacity());
    end();
  }

  @Test
  @DisplayName("without long packets FPDUs leave in ordinary ones")
  void shouldSendOrdinarySegmentsWithoutLongPackets() {
    open(MpaSettings.DEFAULTS.withMarkers(false));
    List<Long> taken = new ArrayList<>();
    for (int i = 0; i < pool.longCapacity(); i++) {
      taken.add(pool.allocateLong());
    }
    for (int i = 0; i < 5; i++) {
      send(sender.mulpdu(), true);
    }
    turn();
    assertThat(first.counters().trainsOut).isZero();
    taken.forEach(pool::release);
    end();
  }
}
