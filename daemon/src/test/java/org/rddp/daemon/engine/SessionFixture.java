package org.rddp.daemon.engine;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.rddp.client.types.Access;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.SessionLimits;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.device.FrameDevice;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.device.WrappedDevice;
import org.rddp.group.StackGroup;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.linux.WakeSocket;
import org.rddp.ipc.ring.DaemonRings;
import org.rddp.ipc.ring.PolledCompletion;
import org.rddp.ipc.ring.ProgramRings;
import org.rddp.mpa.MpaSettings;
import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.Negotiated;
import org.rddp.mpa.StartupHandler;
import org.rddp.rdmap.RdmapHandler;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.rdmap.RdmapStream;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStack;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;

/**
 * A session whose rings the test writes itself, as a program that is not ours would, and peers that
 * are streams of RDMAP; all in one thread, under virtual time.
 */
final class SessionFixture {
  static final int PORT = 7;
  static final int QUEUE_PAIR_PORT = 4794;
  static final int OUTSTANDING = 64;
  static final Ipv4Address OURS = Ipv4Address.parse("10.0.0.1");
  static final Ipv4Address THEIRS = Ipv4Address.parse("10.0.0.2");

  /** A peer's end of a connection: remembers how its requests end. */
  static class Peer implements StartupHandler, RdmapHandler {
    RdmapStream stream;
    MpaStartup startup;
    final List<String> events = new ArrayList<>();

    @Override
    public void onRequest(MpaStartup asked, byte[] privateData) {
      asked.accept(new byte[0]);
    }

    @Override
    public void onAgreed(Negotiated terms, byte[] privateData) {
      events.add("established");
    }

    @Override
    public void onRejected(byte[] privateData) {}

    @Override
    public void onCompletion(long id, int kind, int status, long octets) {
      events.add("completion " + id + " " + status);
    }

    @Override
    public void onError(int layer, int type, int code, String detail) {
      events.add("error %d/%d/%d".formatted(layer, type, code));
    }

    @Override
    public void onPeerClosed() {}

    @Override
    public void onClosed(CloseReason reason) {
      events.add("closed");
    }
  }

  private final LoopedDevice[] link =
      LoopedDevice.pair(
          new NativePacketPool(1024, 1514), new NativePacketPool(1024, 1514), 1500, 512);
  private long now = 1_000_000_000L;
  final QueuePairNumbers numbers =
      new QueuePairNumbers(QUEUE_PAIR_PORT, new StackGroup(1), new Random(5), () -> now);

  /** DSCPs of the packets that have been sent. */
  final Set<Integer> codepoints = new TreeSet<>();

  /** ECN codepoints of the packets that have been sent. */
  final Set<Integer> capable = new TreeSet<>();

  private final TcpStack tcp = stack(new CodepointWatch(link[0]), OURS, 1);
  private final TcpStack peerTcp = stack(link[1], THEIRS, 2);
  private final DdpEngine peerDdp = new DdpEngine(new TaggedBuffers(16, new SplittableRandom(4)));
  private final ProtectionDomain peerDomain = new ProtectionDomain("peer");
  final List<DaemonMessage> events = new ArrayList<>();
  final List<String> broken = new ArrayList<>();
  final Engine engine =
      new Engine(
          "test",
          new InterfaceAddress(OURS, 24),
          tcp,
          new DdpEngine(new TaggedBuffers(64, new SplittableRandom(3))),
          new RdmapSettings(MpaSettings.DEFAULTS, 16, 16, 16, 16, 1 << 16),
          new FaultHandler() {
            @Override
            public void onFault(String where, Throwable cause) {
              throw new AssertionError(where, cause);
            }

            @Override
            public void onRefused(String detail) {}
          });
  final MemorySegment data = Arena.ofAuto().allocate(1 << 16, 4096);
  private final MemorySegment ringMemory =
      Arena.ofAuto().allocate(DaemonRings.octets(OUTSTANDING, OUTSTANDING), 64);
  final Session session;
  final ProgramRings rings;

  SessionFixture() {
    engine.introduceTo(numbers);
    try {
      DaemonRings ends = new DaemonRings(ringMemory, OUTSTANDING, OUTSTANDING);
      rings = new ProgramRings(ringMemory, () -> {});
      session =
          new Session(
              "program",
              engine,
              new SessionLimits(OUTSTANDING, 16, 16, 168, 16, 8, 16, 1 << 20),
              ends,
              WakeSocket.pair()[0]::signal,
              new SessionHandler() {
                @Override
                public void send(DaemonMessage message) {
                  events.add(message);
                }

                @Override
                public void onBroken(String detail) {
                  broken.add(detail);
                }
              });
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    engine.begin(session);
  }

  /** Notes the DSCPs and ECN codepoints of what a device sends. */
  private final class CodepointWatch extends WrappedDevice {
    CodepointWatch(FrameDevice device) {
      super(device);
    }

    @Override
    public int transmit(long[] packets, int first, int count) {
      for (int i = first; i < first + count; i++) {
        long frame = pool().address(packets[i]);
        if (Ethernet.type(frame) == Ethernet.TYPE_IPV4) {
          codepoints.add(Ipv4.dscp(frame + Ethernet.HEADER));
          capable.add(Ipv4.ecn(frame + Ethernet.HEADER));
        }
      }
      return super.transmit(packets, first, count);
    }
  }

  private TcpStack stack(FrameDevice device, Ipv4Address address, int seed) {
    return new TcpStack(
        device,
        new InterfaceAddress(address, 24),
        TcpSettings.DEFAULTS,
        new SplittableRandom(seed),
        now);
  }

  /** Lets everything happen that can without the peer's host, which takes no frame. */
  void runAlone() {
    for (int i = 0; i < 40; i++) {
      now += 5000;
      engine.turn(now);
    }
  }

  /** Lets everything happen that can. */
  void run() {
    for (int i = 0; i < 40; i++) {
      now += 5000;
      engine.turn(now);
      peerTcp.receive(now);
      peerDdp.send(64);
      peerTcp.advance(now);
      peerTcp.transmit(now);
    }
  }

  /** A peer that asks the session's listener for a stream. */
  Peer peer() {
    return peer(PORT, new byte[0]);
  }

  /** A queue pair of the peer's host, which introduces itself. */
  Peer peer(Introduction introduction) {
    return peer(QUEUE_PAIR_PORT, introduction.encode());
  }

  private Peer peer(int port, byte[] privateData) {
    Peer peer = new Peer();
    RdmapSettings settings = new RdmapSettings(MpaSettings.DEFAULTS, 64, 16);
    peer.stream = new RdmapStream(peerDdp, peerDomain, settings, peer);
    peerTcp.connect(
        OURS, port, MpaStartup.initiator(settings.mpa(), privateData, peer, peer.stream.ddp()));
    return peer;
  }

  /** Any other peer that asks for a stream. */
  void connect(StreamHandler peer) {
    peerTcp.connect(OURS, PORT, peer);
  }

  /** The peer's host answers connections in turn by these; more are refused. */
  void peers(StreamHandler... handlers) {
    peersAt(PORT, handlers);
  }

  /** The peer's host answers so at a port. */
  void peersAt(int number, StreamHandler... handlers) {
    Iterator<StreamHandler> next = List.of(handlers).iterator();
    peerTcp.listen(number, (stream, address, port) -> next.hasNext() ? next.next() : null);
  }

  /** A peer that is asked for a stream, and accepts it. */
  Peer accepting(MpaSettings mpa) {
    return answering(new Peer(), mpa);
  }

  /** A peer that is asked for a stream, and answers. */
  Peer answering(Peer peer, MpaSettings mpa) {
    RdmapSettings settings = new RdmapSettings(mpa, 64, 16);
    peer.stream = new RdmapStream(peerDdp, peerDomain, settings, peer);
    peer.startup = MpaStartup.responder(settings.mpa(), peer, peer.stream.ddp());
    return peer;
  }

  /** The program asks the peer for a connection; returns its number. */
  int connect(ConnectionSettings settings) throws RequestRefusedException {
    return session.connect(THEIRS, PORT, new byte[0], 1_000_000_000, settings);
  }

  /** So many nanoseconds pass. */
  void pass(long nanos) {
    now += nanos;
  }

  /** The number of the connection that was asked for last. */
  int requested() {
    run();
    List<Integer> numbers = new ArrayList<>();
    for (DaemonMessage event : events) {
      if (event instanceof DaemonMessage.ConnectionRequested requested) {
        numbers.add(requested.connection());
      }
    }
    return numbers.getLast();
  }

  /** Registers all of {@link #data}. */
  int register(Access... rights) {
    try {
      return session.register(data.address(), data.byteSize(), Access.bits(rights), 0);
    } catch (RequestRefusedException e) {
      throw new AssertionError(e);
    }
  }

  /** What has completed since the last call, one line each. */
  List<String> completions() {
    session.flush();
    PolledCompletion completion = new PolledCompletion();
    List<String> lines = new ArrayList<>();
    while (rings.poll(completion)) {
      lines.add(
          "%s %d %s"
              .formatted(Opcode.name(completion.opcode()), completion.id(), completion.status()));
    }
    rings.publish();
    return lines;
  }
}
