package org.rddp.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.device.FrameDevice;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.device.WrappedDevice;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStack;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Memory;

/** FPDUs over TCP on paths that fragment packets or lower their MTU, with and without packing. */
class PathsTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long BUFFER = Memory.allocate(1 << 16);
  private static final byte[] NONE = {};

  /** A middlebox that changes the frames a device receives. */
  private abstract static class Middlebox extends WrappedDevice {
    private final long[] burst = new long[8];

    /** Octets of payload in each segment of TCP that has passed and had some. */
    final List<Integer> segments = new ArrayList<>();

    Middlebox(FrameDevice device) {
      super(device);
    }

    /**
     * Lets a frame pass, or makes others of it.
     *
     * @return how many there are then
     */
    abstract int pass(long packet, int octets, long[] packets, int at);

    @Override
    public int receive(long[] packets) {
      int out = 0;
      int count = device().receive(burst);
      for (int i = 0; i < count; i++) {
        long frame = pool().address(burst[i]);
        boolean ip = Ethernet.type(frame) == Ethernet.TYPE_IPV4;
        int octets = ip ? Ipv4.totalLength(frame + Ethernet.HEADER) : 0;
        if (octets > Ipv4.HEADER + 20) {
          segments.add(octets - Ipv4.HEADER - 20);
        }
        out += pass(burst[i], octets, packets, out);
      }
      return out;
    }
  }

  /** Lets everything pass. */
  private static final class Wide extends Middlebox {
    Wide(FrameDevice device) {
      super(device);
    }

    @Override
    int pass(long packet, int octets, long[] packets, int at) {
      packets[at] = packet;
      return 1;
    }
  }

  /** A router that does not look at Don't Fragment. */
  private static final class Fragmenting extends Middlebox {
    private static final int PART = 400;
    private int identification;

    Fragmenting(FrameDevice device) {
      super(device);
    }

    @Override
    int pass(long packet, int octets, long[] packets, int at) {
      int payload = octets - Ipv4.HEADER;
      if (payload <= PART) {
        packets[at] = packet;
        return 1;
      }
      identification++;
      long frame = pool().address(packet);
      int made = 0;
      for (int from = 0; from < payload; from += PART) {
        int part = Math.min(PART, payload - from);
        packets[at + made++] = fragment(frame, from, part, from + part < payload);
      }
      pool().release(packet);
      return made;
    }

    private long fragment(long frame, int from, int octets, boolean more) {
      long packet = pool().allocate();
      long to = pool().address(packet);
      long ip = to + Ethernet.HEADER;
      long whole = frame + Ethernet.HEADER;
      Memory.copy(frame, to, Ethernet.HEADER);
      Memory.copy(whole + Ipv4.HEADER + from, ip + Ipv4.HEADER, octets);
      int total = Ipv4.HEADER + octets;
      int ecn = Ipv4.ecn(whole);
      Ipv4.write(ip, total, Ipv4.PROTOCOL_TCP, Ipv4.source(whole), Ipv4.destination(whole), ecn);
      Ipv4.writeFragment(ip, identification, from, more);
      pool().window(packet, to, Ethernet.HEADER + total);
      return packet;
    }
  }

  /** A path that swallows long packets from some moment on, without a word. */
  private static final class Narrowing extends Middlebox {
    private int widest = Integer.MAX_VALUE;

    Narrowing(FrameDevice device) {
      super(device);
    }

    @Override
    int pass(long packet, int octets, long[] packets, int at) {
      if (octets > widest) {
        pool().release(packet);
        return 0;
      }
      packets[at] = packet;
      return 1;
    }
  }

  /** Two stacks with MPA on them. */
  private static final class Life {
    final NativePacketPool[] pools = {
      new NativePacketPool(512, 2048), new NativePacketPool(512, 2048)
    };
    final RecordingHandler sender = new RecordingHandler();
    final RecordingHandler receiver = new RecordingHandler();
    final MpaConnection from;
    final TcpStack first;
    final TcpStack second;
    final Middlebox path;
    private final FrameDevice near;
    final List<byte[]> sent = new ArrayList<>();
    long now = SECOND;

    Life(MpaSettings settings, int mtu, UnaryOperator<FrameDevice> path) {
      this(settings, mtu, path, 7);
    }

    Life(MpaSettings settings, int mtu, UnaryOperator<FrameDevice> path, int port) {
      LoopedDevice[] ends = LoopedDevice.pair(pools[0], pools[1], mtu, 200);
      near = ends[0];
      this.path = (Middlebox) path.apply(ends[1]);
      TcpSettings tcp =
          TcpSettings.DEFAULTS
              .withTimestamps(false)
              .withUserTimeout(600 * SECOND)
              .withMinimumRetransmission(SECOND / 100);
      first = new TcpStack(ends[0], address(1), tcp, new SplittableRandom(1), now);
      second = new TcpStack(this.path, address(2), tcp, new SplittableRandom(2), now);
      MpaStartup to = MpaStartup.responder(settings, receiver, receiver);
      receiver.uponRequest = () -> to.accept(NONE);
      second.listen(port, (stream, remote, remotePort) -> to);
      first.connect(
          Ipv4Address.parse("10.99.0.2"),
          port,
          MpaStartup.initiator(settings, NONE, sender, sender));
      run(() -> sender.connection != null);
      from = sender.connection;
    }

    private static InterfaceAddress address(int host) {
      return new InterfaceAddress(Ipv4Address.parse("10.99.0." + host), 24);
    }

    void send(int length) {
      byte[] ulpdu = new byte[length];
      new Random(sent.size()).nextBytes(ulpdu);
      Memory.copy(ulpdu, 0, BUFFER, length);
      assertThat(from.send(BUFFER, 0, BUFFER, length)).isTrue();
      sent.add(ulpdu);
    }

    void run(BooleanSupplier until) {
      for (int turns = 0; !until.getAsBoolean(); turns++) {
        assertThat(turns).as("turns").isLessThan(200_000);
        turn(first);
        turn(second);
        now += SECOND / 1000;
      }
    }

    void turn() {
      turn(first);
      turn(second);
    }

    private void turn(TcpStack stack) {
      stack.receive(now);
      stack.advance(now);
      stack.transmit(now);
    }

    void arrive() {
      run(() -> receiver.ulpdus.size() == sent.size() || receiver.error != null);
      assertThat(receiver.ulpdus).containsExactlyElementsOf(sent);
      assertThat(receiver.error).isNull();
    }

    void close() {
      first.close();
      second.close();
      path.close();
      near.close();
      for (NativePacketPool pool : pools) {
        assertThat(pool.available()).isEqualTo(pool.capacity());
      }
    }
  }

  @Test
  @Tag("MPAA-5.1-06")
  @Tag("MPAA-5-02")
  @Tag("MPAA-5-04")
  @DisplayName("RFC 5044 A.5: a path that fragments every packet is not to be noticed above IP")
  @Tag("D03-13.2-01")
  void shouldNotNoticeFragments() {
    List<String> whole = heard(Wide::new, 0);
    List<String> fragmented = heard(Fragmenting::new, 100);
    assertThat(whole).hasSizeGreaterThan(100);
    assertThat(fragmented).isEqualTo(whole);
  }

  private static List<String> heard(UnaryOperator<FrameDevice> path, int fragments) {
    Life life = new Life(MpaSettings.DEFAULTS.withMarkers(true), 1500, path);
    for (int i = 0; i < 120; i++) {
      life.send(1 + 97 * i % life.from.mulpdu());
      life.turn();
    }
    life.arrive();
    assertThat(life.second.ipCounters().fragments).isGreaterThanOrEqualTo(fragments);
    life.close();
    return life.receiver.events;
  }

  @Test
  @Tag("MPAA-5.2-05")
  @Tag("MPA-5.1-07")
  @Tag("MPAA-5.2-01")
  @Tag("MPA-5.1-08")
  @DisplayName("RFC 5044 A.5.2: FPDUs that wait when a path narrows go unaligned, those after not")
  @Tag("MPAA-5.2-04")
  void shouldLowerMulpduAndSendWhatWaitsInPieces() {
    Life life = new Life(MpaSettings.DEFAULTS.withMarkers(true), 1500, Narrowing::new);
    assertThat(life.from.mulpdu()).isEqualTo(1442);
    for (int i = 0; i < 10; i++) {
      life.send(100);
    }
    life.arrive();
    ((Narrowing) life.path).widest = 600;
    for (int i = 0; i < 8; i++) {
      life.send(1442);
    }
    life.arrive();
    assertThat(life.first.counters().split).as("segments cut").isGreaterThanOrEqualTo(8);
    assertThat(life.sender.events.getLast()).isEqualTo("mulpdu 522");
    assertThat(life.from.mulpdu()).isEqualTo(522);
    life.run(life.from::sendable);
    for (int i = 0; i < 8; i++) {
      life.send(522);
    }
    life.path.segments.clear();
    life.arrive();
    assertThat(life.path.segments).hasSize(8).allMatch(octets -> octets >= 532);
    life.close();
  }

  @ParameterizedTest
  @CsvSource({"1500, 60", "576, 22"})
  @Tag("MPA-5.1-05")
  @DisplayName("RFC 5044 A.2: FPDUs sent in one turn are packed, over TCP, and none waits")
  void shouldPackOverTcp(int mtu, int perSegment) {
    Life life = new Life(MpaSettings.DEFAULTS.withMarkers(true).withPacking(true), mtu, Wide::new);
    life.path.segments.clear();
    for (int i = 0; i < 5 * perSegment; i++) {
      life.send(15);
    }
    life.turn();
    assertThat(life.receiver.ulpdus).hasSize(5 * perSegment);
    assertThat(life.path.segments).hasSize(5);
    life.send(15);
    life.turn();
    assertThat(life.receiver.ulpdus).as("at once").hasSize(5 * perSegment + 1);
    life.arrive();
    life.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 65535})
  @Tag("MPA-10-01")
  @DisplayName("RFC 5044 10: MPA needs no port of its own")
  void shouldRunOnAnyPort(int port) {
    Life life = new Life(MpaSettings.DEFAULTS, 1500, Wide::new, port);
    life.send(100);
    life.arrive();
    life.close();
  }
}
