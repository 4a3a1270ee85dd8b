package org.rddp.daemon.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.client.types.SessionLimits;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.device.FrameDevice;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.device.WrappedDevice;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.ip.Ipv6Address;
import org.rddp.ipc.control.AcceptSettings;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.linux.WakeSocket;
import org.rddp.ipc.ring.DaemonRings;
import org.rddp.mpa.MpaSettings;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.tcp.TcpConnection;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStack;
import org.rddp.tcp.testing.PlainPeer;
import org.rddp.wire.Checksum;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Memory;
import org.rddp.wire.Tcp;

/**
 * Peers that connect and send a part of an MPA Request only, while others connect properly; all in
 * one thread, under virtual time.
 */
class HalfOpenStartupsTest {
  private static final int PORT = 7;
  private static final int HALF_OPEN = 10_000;
  private static final long MILLISECOND = 1_000_000;
  private static final Ipv4Address OURS = Ipv4Address.parse("10.0.0.1");
  private static final Ipv4Address THEIRS = Ipv4Address.parse("10.0.0.2");
  private static final int FIRST_OTHER = Ipv4Address.parse("10.1.0.1").bits();

  /** "MPA ID Req". */
  private static final String PART_OF_KEY = "4d504120494420526571";

  /** Lets one host have many addresses: some of its ports are those of other addresses. */
  private static final class ManyAddresses extends WrappedDevice {
    private static final int IP_CHECKSUM = 10;
    private static final int TCP_CHECKSUM = Ipv4.HEADER + 16;
    private static final int IP_SOURCE = 12;
    private static final int IP_DESTINATION = 16;
    private final Map<Integer, Integer> addressOfPort = new HashMap<>();

    ManyAddresses(FrameDevice device) {
      super(device);
    }

    @Override
    public int transmit(long[] packets, int from, int count) {
      for (int i = from; i < from + count; i++) {
        long ip = ip(packets[i]);
        Integer address = ip == 0 ? null : addressOfPort.get(Tcp.sourcePort(ip + Ipv4.HEADER));
        // A frame that the other device did not take has its address already.
        if (address != null && Ipv4.source(ip) == THEIRS.bits()) {
          replace(ip, IP_SOURCE, address);
        }
      }
      return super.transmit(packets, from, count);
    }

    @Override
    public int receive(long[] packets) {
      int count = super.receive(packets);
      for (int i = 0; i < count; i++) {
        long ip = ip(packets[i]);
        if (ip != 0 && Ipv4.destination(ip) != THEIRS.bits()) {
          replace(ip, IP_DESTINATION, THEIRS.bits());
        }
      }
      return count;
    }

    /** The packet in the frame, or 0 if it is none of TCP's. */
    private long ip(long packet) {
      long frame = pool().address(packet);
      long ip = frame + Ethernet.HEADER;
      boolean tcp = Ethernet.type(frame) == Ethernet.TYPE_IPV4;
      return tcp && Ipv4.protocol(ip) == Ipv4.PROTOCOL_TCP ? ip : 0;
    }

    private static void replace(long ip, int at, int address) {
      replaceHalf(ip, ip + at, address >>> 16);
      replaceHalf(ip, ip + at + 2, address & 0xffff);
    }

    private static void replaceHalf(long ip, long at, int word) {
      int old = Memory.getShort(at);
      Memory.putShort(at, word);
      for (int sum : new int[] {IP_CHECKSUM, TCP_CHECKSUM}) {
        Memory.putShort(ip + sum, Checksum.replace(Memory.getShort(ip + sum), old, word));
      }
    }
  }

  private final LoopedDevice[] link =
      LoopedDevice.pair(
          new NativePacketPool(16_384, 1514), new NativePacketPool(16_384, 1514), 1500, 1024);
  private final ManyAddresses many = new ManyAddresses(link[1]);
  private long now = 1_000_000_000L;
  private final TcpStack peerTcp = stack(many, THEIRS, 2, TcpSettings.DEFAULTS);
  private final List<DaemonMessage> events = new ArrayList<>();
  private Engine engine;
  private Session session;

  private void open(TcpSettings settings) throws Exception {
    engine =
        new Engine(
            "test",
            new InterfaceAddress(OURS, 24),
            stack(link[0], OURS, 1, settings),
            new DdpEngine(new TaggedBuffers(64, new SplittableRandom(3))),
            new RdmapSettings(MpaSettings.DEFAULTS, 2, 2, 1, 1),
            new FaultHandler() {
              @Override
              public void onFault(String where, Throwable cause) {
                throw new AssertionError(where, cause);
              }

              @Override
              public void onRefused(String detail) {}
            });
    DaemonRings rings =
        new DaemonRings(Arena.ofAuto().allocate(DaemonRings.octets(16, 16), 64), 16, 16);
    session =
        new Session(
            "program",
            engine,
            new SessionLimits(16, 2, 2, 168, 4096, 16, 16, 1 << 20),
            rings,
            WakeSocket.pair()[0]::signal,
            new SessionHandler() {
              @Override
              public void send(DaemonMessage message) {
                events.add(message);
              }

              @Override
              public void onBroken(String detail) {
                throw new AssertionError(detail);
              }
            });
    engine.begin(session);
  }

  private TcpStack stack(FrameDevice device, Ipv4Address address, int seed, TcpSettings settings) {
    return new TcpStack(
        device,
        new InterfaceAddress(
            address, 24, address.equals(OURS) ? Optional.of(THEIRS) : Optional.empty(), 1500, 0),
        settings,
        new SplittableRandom(seed),
        now);
  }

  private void turn() {
    now += MILLISECOND;
    engine.turn(now);
    peerTcp.receive(now);
    peerTcp.advance(now);
    peerTcp.transmit(now);
  }

  private void connectHalfOpen(int number, int addresses) {
    TcpConnection opened = peerTcp.connect(OURS, PORT, new PlainPeer(PART_OF_KEY));
    many.addressOfPort.put(opened.localPort(), FIRST_OTHER + number % addresses);
  }

  /** The program accepts every peer. Returns how many have asked since the last call. */
  private int accept() throws RequestRefusedException {
    int asked = 0;
    List<DaemonMessage> seen = List.copyOf(events);
    events.clear();
    for (DaemonMessage event : seen) {
      if (event instanceof DaemonMessage.ConnectionRequested requested) {
        session.accept(requested.connection(), AcceptSettings.DEFAULTS, new byte[0]);
        asked++;
      }
    }
    return asked;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 250})
  void shouldNotKeepOutAPeerThatSendsItsRequest(int addresses) throws Exception {
    open(TcpSettings.DEFAULTS);
    letHonestPeersIn(addresses);
    assertThat(engine.counters().startupsPending).isEqualTo(MpaSettings.DEFAULTS.startups());
    assertThat(engine.counters().startupsEvicted)
        .isEqualTo(HALF_OPEN - engine.counters().startupsPending);
  }

  @Test
  void shouldLeaveConnectionsWhereThereAreFewerThanStartups() throws Exception {
    open(TcpSettings.DEFAULTS.withConnections(512));
    letHonestPeersIn(250);
    assertThat(engine.tcp().connections()).isLessThan(512);
  }

  private void letHonestPeersIn(int addresses) throws Exception {
    session.listen(Ipv6Address.UNSPECIFIED, PORT, 8, ConnectionSettings.RDMAP);
    List<MpaPeer> honest = new ArrayList<>();
    int begun = 0;
    int asked = 0;
    for (int milliseconds = 0; begun < HALF_OPEN; milliseconds++) {
      for (int i = 0; i < 5; i++) {
        connectHalfOpen(begun++, addresses);
      }
      if (milliseconds % 50 == 0) {
        MpaPeer peer = new MpaPeer();
        TcpConnection opened = peerTcp.connect(OURS, PORT, peer.transport());
        many.addressOfPort.remove(opened.localPort());
        honest.add(peer);
      }
      turn();
      asked += accept();
    }
    for (int i = 0; i < 20; i++) {
      turn();
      asked += accept();
    }
    assertThat(asked).isEqualTo(honest.size()).isEqualTo(HALF_OPEN / 5 / 50);
    assertThat(honest)
        .allSatisfy(each -> assertThat(each.events()).containsExactly("full operation"));
    assertThat(engine.counters().startupsRefused).isZero();
  }
}
