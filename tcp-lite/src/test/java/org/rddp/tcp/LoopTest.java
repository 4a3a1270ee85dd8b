package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.device.FrameDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.device.OffloadingDevice;
import org.rddp.device.Offloads;
import org.rddp.device.ScriptedDevice;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.simulation.OctetPattern;
import org.rddp.wire.Checksum;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Memory;
import org.rddp.wire.Tcp;

/** Connections whose two ends are in one stack: the peer has our own address. */
class LoopTest {
  private static final Ipv4Address OURS = Ipv4Address.parse("10.0.0.1");
  private static final long MILLISECOND = 1_000_000;
  private static final long SECOND = 1000 * MILLISECOND;
  private static final int HEADERS = Ethernet.HEADER + Ipv4.HEADER;

  private NativePacketPool pool = new NativePacketPool(512, 9100);
  private ScriptedDevice device = new ScriptedDevice(pool, 1500);
  private long now = SECOND;
  private TcpStack stack = stack(device, TcpSettings.DEFAULTS);

  private TcpStack stack(FrameDevice below, TcpSettings settings) {
    return new TcpStack(
        below, new InterfaceAddress(OURS, 24), settings, new SplittableRandom(1), now);
  }

  private void turn() {
    stack.receive(now);
    stack.advance(now);
    stack.transmit(now);
    now += MILLISECOND / 10;
  }

  private void turns(int count) {
    for (int i = 0; i < count; i++) {
      turn();
    }
  }

  /** Turns until both ends have closed. */
  private void finish(Peer one, Peer two) {
    long deadline = now + 3600 * SECOND;
    while (one.closed == null || two.closed == null) {
      turn();
      assertThat(now).as("still at it").isLessThan(deadline);
    }
    assertThat(one.wrong).isNull();
    assertThat(two.wrong).isNull();
    assertThat(one.closed).isEqualTo(CloseReason.NORMAL);
    assertThat(two.closed).isEqualTo(CloseReason.NORMAL);
  }

  /** Transfers so many octets in both directions over one connection. */
  private void transfer(int octets, int largest, long seed) {
    OctetPattern up = new OctetPattern(seed);
    OctetPattern down = new OctetPattern(-seed);
    Peer client = new Peer(up, down, octets, largest, seed);
    Peer server = new Peer(down, up, octets, largest, seed + 1);
    TcpListener listener = stack.listen(7, (stream, address, port) -> server);
    stack.connect(OURS, 7, client);
    finish(client, server);
    listener.close();
    assertThat(server.received).isEqualTo(octets);
    assertThat(client.received).isEqualTo(octets);
  }

  private void expectNothingSentOrKept() {
    assertThat(device.take()).as("a frame on the link").isNull();
    stack.close();
    assertThat(device.take()).as("a frame on the link").isNull();
    assertThat(pool.available()).isEqualTo(pool.capacity());
  }

  @Test
  void shouldConnectToItselfWithoutTheDevice() {
    device.up = false;
    transfer(1_000_000, 0, 1);
    assertThat(stack.counters().established).isEqualTo(2);
    assertThat(stack.counters().checksumErrors).isZero();
    assertThat(stack.ipCounters().looped).isGreaterThan(1000);
    assertThat(stack.ipCounters().framesIn).isZero();
    assertThat(stack.ipCounters().arpRequests).isZero();
    expectNothingSentOrKept();
  }

  @Test
  void shouldReceiveWhatItSendsInALaterTurn() {
    stack.listen(7, (stream, address, port) -> new Recorder());
    stack.connect(OURS, 7, new Recorder());
    assertThat(stack.ipCounters().looped).isZero();
    assertThat(stack.transmit(now)).as("work is left").isEqualTo(1);
    assertThat(stack.nextDeadline()).isLessThan(now);
    assertThat(stack.receive(now)).as("the SYN, but not its answer").isEqualTo(1);
    assertThat(stack.ipCounters().looped).isEqualTo(1);
    assertThat(stack.receive(now)).as("the answer").isEqualTo(1);
    stack.close();
  }

  @Test
  @DisplayName("RFC 9293 3.10.7.1: a SYN to a port of ours without a listener is refused")
  void shouldRefuseAPortWithoutAListener() {
    Recorder handler = new Recorder();
    stack.connect(OURS, 7, handler);
    turns(3);
    assertThat(handler.takeEvents()).containsExactly("closed REFUSED");
    expectNothingSentOrKept();
  }

  @Test
  @DisplayName("RFC 9293 3.5: a port that connects to itself opens simultaneously")
  void shouldBeItsOwnPeer() {
    OctetPattern octets = new OctetPattern(5);
    Peer both = new Peer(octets, octets, 100_000, 0, 5);
    stack.connect(OURS, 4000, 4000, both);
    finish(both, both);
    assertThat(both.received).isEqualTo(100_000);
    assertThat(stack.counters().established).isEqualTo(1);
    expectNothingSentOrKept();
  }

  @Test
  @DisplayName("RFC 9293 3.5: a connection that is its own peer, from a port that it chooses")
  void shouldBeItsOwnPeerManyTimes() {
    for (int i = 0; i < 20; i++) {
      OctetPattern octets = new OctetPattern(i);
      Peer one = new Peer(octets, octets, 1_000, 0, 5);
      Peer two = new Peer(octets, octets, 1_000, 0, 6);
      TcpConnection first = stack.connectToItself(OURS, one);
      TcpConnection second = stack.connectToItself(OURS, two);
      assertThat(first.localPort()).isEqualTo(first.remotePort());
      assertThat(first.localPort()).isNotEqualTo(second.localPort());
      finish(one, two);
      assertThat(one.received + two.received).isEqualTo(2_000);
    }
    expectNothingSentOrKept();
  }

  @Test
  @DisplayName("RFC 9293 3.5: two ports that connect to each other open simultaneously")
  void shouldOpenSimultaneously() {
    OctetPattern up = new OctetPattern(6);
    OctetPattern down = new OctetPattern(7);
    Peer one = new Peer(up, down, 50_000, 0, 6);
    Peer two = new Peer(down, up, 50_000, 0, 7);
    stack.connect(OURS, 4001, 4000, one);
    stack.connect(OURS, 4000, 4001, two);
    finish(one, two);
    assertThat(two.received).isEqualTo(50_000);
    assertThat(stack.counters().established).isEqualTo(2);
    expectNothingSentOrKept();
  }

  @Test
  @DisplayName("RFC 6056 3.3.1: no ephemeral port is the one that it connects to")
  void shouldNotChooseThePortThatItConnectsTo() {
    int first = 49152;
    int port = 60_000;
    for (int i = 0; i < 65536 - first - 1; i++) {
      int local = ((TcpConnection) connected(port)).localPort();
      assertThat(local).isNotEqualTo(port);
    }
    assertThat(stack.connections()).isEqualTo(65536 - first - 1);
  }

  private TcpStream connected(int port) {
    if (stack.connections() == 0) {
      stack =
          stack(device, TcpSettings.DEFAULTS.withConnections(20_000).withPeerConnections(20_000));
    }
    return stack.connect(OURS, port, new Recorder());
  }

  @ParameterizedTest
  @ValueSource(
      ints = {Offloads.CHECKSUM, Offloads.CHECKSUM | Offloads.SEGMENTATION | Offloads.VERDICT})
  @DisplayName("RFC 9293 3.1: what the card would have summed is right as it is")
  void shouldLeaveNothingToTheCard(int offloads) {
    OffloadingDevice card = new OffloadingDevice(device, offloads);
    stack = stack(card, TcpSettings.DEFAULTS);
    transfer(500_000, 9000, 2);
    assertThat(card.completed).isZero();
    assertThat(stack.counters().checksumErrors).isZero();
    expectNothingSentOrKept();
  }

  @Test
  @DisplayName("RFC 9293 3.1: without a card's help what comes back is checked")
  void shouldCheckChecksums() {
    stack.connect(OURS, 7, new Recorder());
    long octet = flipped();
    turns(2);
    assertThat(stack.counters().checksumErrors).as("octet at %d", octet).isEqualTo(1);
    stack.close();
  }

  /** Changes the window in the SYN that waits in the loop, where a sink sees it last. */
  private long flipped() {
    long[] changed = new long[1];
    stack.captureLooped((time, address, length) -> {
      changed[0] = address + HEADERS + 14;
      Memory.putByte(changed[0], Memory.getByte(changed[0]) ^ 1);
    });
    stack.receive(now);
    stack.captureLooped(null);
    return changed[0];
  }

  @Test
  void shouldLoseWhatDoesNotFitAndRecover() {
    pool = new NativePacketPool(64, 9100);
    device = new ScriptedDevice(pool, 1500);
    stack = stack(device, TcpSettings.DEFAULTS);
    transfer(400_000, 0, 3);
    assertThat(stack.ipCounters().loopDropped).isPositive();
    assertThat(stack.counters().retransmitted).isPositive();
    expectNothingSentOrKept();
  }

  @Test
  void shouldPassEachFrameToACapture() {
    List<String> frames = new ArrayList<>();
    stack.captureLooped((time, address, length) -> {
      assertThat(time).isEqualTo(stack.now());
      assertThat(Ethernet.source(address)).isEqualTo(ScriptedDevice.OUR_MAC);
      assertThat(Ethernet.destination(address)).isEqualTo(ScriptedDevice.OUR_MAC);
      int flags = Tcp.flags(address + HEADERS);
      frames.add("%s %d".formatted((flags & Tcp.SYN) != 0 ? "SYN" : "other", flags & Tcp.ACK));
    });
    stack.listen(7, (stream, address, port) -> new Recorder());
    stack.connect(OURS, 7, new Recorder());
    turns(5);
    assertThat(frames).containsExactly("SYN 0", "SYN 16", "other 16");
    stack.captureLooped(null);
    stack.close();
  }

  @Test
  @DisplayName("RFC 1122 3.2.1.3: our address as a source is invalid in what comes by the link")
  void shouldDropForgedFramesFromOurselves() {
    stack.listen(7, (stream, address, port) -> new Recorder());
    byte[] frame = new byte[HEADERS + Tcp.HEADER];
    long octets = Memory.allocate(frame.length);
    Ethernet.write(octets, ScriptedDevice.OUR_MAC, Script.THEIR_MAC, Ethernet.TYPE_IPV4);
    int length = Ipv4.HEADER + Tcp.HEADER;
    Ipv4.write(octets + Ethernet.HEADER, length, Ipv4.PROTOCOL_TCP, OURS.bits(), OURS.bits());
    long sum = Tcp.write(octets + HEADERS, 9, 7, 1, 0, Tcp.HEADER, Tcp.SYN, 1000);
    long pseudo = Checksum.pseudoHeader(OURS.bits(), OURS.bits(), Ipv4.PROTOCOL_TCP, Tcp.HEADER);
    Tcp.putChecksum(octets + HEADERS, sum + pseudo);
    device.put(Memory.bytes(octets, frame.length));
    turn();
    assertThat(stack.ipCounters().addressErrors).isEqualTo(1);
    assertThat(stack.counters().segmentsIn).isZero();
    expectNothingSentOrKept();
  }

  @Test
  void shouldGiveBackWhatWaitsWhenItCloses() {
    stack.connect(OURS, 7, new Recorder());
    assertThat(pool.available()).isLessThan(pool.capacity());
    expectNothingSentOrKept();
  }

  @Test
  void shouldDeliverEveryOctetOnceWhateverTheSizes() {
    for (long seed = 1; seed <= 100; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      pool = new NativePacketPool(40 + random.nextInt(600), 9100);
      device = new ScriptedDevice(pool, 300 + random.nextInt(8000));
      TcpSettings settings =
          TcpSettings.DEFAULTS
              .withReceiveBuffer(2048 + random.nextInt(1 << random.nextInt(12, 21)))
              .withTimestamps(random.nextBoolean())
              .withSelectiveAcknowledgment(random.nextBoolean())
              .withTimeWait(SECOND);
      boolean card = random.nextInt(3) == 0;
      int offloads = Offloads.CHECKSUM | Offloads.SEGMENTATION;
      stack = stack(card ? new OffloadingDevice(device, offloads) : device, settings);
      transfer(random.nextInt(300_000), random.nextBoolean() ? 0 : 1 + random.nextInt(7000), seed);
      assertThat(stack.counters().checksumErrors).isZero();
      expectNothingSentOrKept();
    }
  }
}
