package org.rddp.daemon.engine;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.ipc.linux.PairedSocket;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.ring.Doorbells;
import org.rddp.ipc.ring.StreamHeader;
import org.rddp.ipc.ring.StreamMemory;
import org.rddp.ipc.ring.StreamRing;
import org.rddp.mpa.MpaSettings;
import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.Negotiated;
import org.rddp.mpa.StartupHandler;
import org.rddp.rdmap.RdmapHandler;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.rdmap.RdmapStream;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStack;
import org.rddp.wire.Memory;

/**
 * An engine with octet streams whose program is the test, and peers that are streams of RDMAP and
 * say what the test likes; all in one thread, under virtual time.
 */
final class OctetStreamFixture {
  static final int PORT = 80;
  static final int SOCKETS_PORT = 4793;
  static final int RING = 8192;
  static final int LARGEST_RING = 2 * RING;
  static final Ipv4Address OURS = Ipv4Address.parse("10.0.0.1");
  static final Ipv4Address THEIRS = Ipv4Address.parse("10.0.0.2");
  private static final int END = 1 << 31;

  private final LoopedDevice[] link =
      LoopedDevice.pair(
          new NativePacketPool(1024, 1514), new NativePacketPool(1024, 1514), 1500, 512);
  private long now = 1_000_000_000L;
  private final TcpStack peerTcp = stack(link[1], THEIRS, 2);
  private final DdpEngine peerDdp = new DdpEngine(new TaggedBuffers(16, new SplittableRandom(4)));
  private final ProtectionDomain peerDomain = new ProtectionDomain("peer");
  final List<String> reports = new ArrayList<>();
  final Engine engine =
      new Engine(
          "test",
          new InterfaceAddress(OURS, 24),
          stack(link[0], OURS, 1),
          new DdpEngine(new TaggedBuffers(64, new SplittableRandom(3))),
          new RdmapSettings(MpaSettings.DEFAULTS, 16, 16, 16, 16, 1 << 16),
          new FaultHandler() {
            @Override
            public void onFault(String where, Throwable cause) {
              throw new AssertionError(where, cause);
            }

            @Override
            public void onRefused(String detail) {
              reports.add(detail);
            }
          });
  final StreamPorts ports = new StreamPorts();
  private final Arena arena = Arena.ofAuto();
  final Doorbells doorbells = bells();
  final StreamSection section =
      new StreamSection(engine, 0, SessionOwner.unlimited(), doorbells, Runnable::run);
  final StreamListener listener =
      new StreamListener(
          1, Ipv4Address.parse("0.0.0.0"), false, false, 0, PORT, 4, new StreamSection[] {section});

  /** Streams that have been offered and not been accepted by the test. */
  final Queue<OctetStream> offered = new ArrayDeque<>();

  final List<OctetStream> offeredAgain = new ArrayList<>();
  final List<OctetStream> released = new ArrayList<>();

  /** Parts that were given back at once. */
  final List<StreamParts> unused = new ArrayList<>();

  /** Whether the sockets of streams that peers ask for can be watched. */
  boolean mayWatch = true;

  private int lastIndex;

  /** New doorbells. */
  Doorbells bells() {
    return new Doorbells(arena.allocate(Doorbells.OCTETS, 64).address());
  }

  OctetStreamFixture() {
    try {
      engine.serveStreams(ports, SOCKETS_PORT, new Keeper());
    } catch (SystemCallException e) {
      throw new AssertionError(e);
    }
    engine.streams().begin(section);
    ports.add(listener);
  }

  /** Keeps everything in the test's thread. */
  private final class Keeper implements StreamKeeper {
    @Override
    public void prepare(IncomingStream incoming, StreamListener of) {
      engine.execute(() -> {
        StreamParts parts = parts();
        if (!mayWatch) {
          parts.socket().close();
        }
        if (incoming.prepared(parts) == null) {
          unused.add(parts);
        }
      });
    }

    @Override
    public void check(OctetStream stream) {
      try {
        boolean safe = stream.parts().memory().isMappedSafely();
        engine.execute(() -> stream.onChecked(safe));
      } catch (SystemCallException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void allocate(OctetStream stream, StreamRing ring) {
      engine.execute(() -> stream.onAllocated(ring));
    }

    @Override
    public void offer(OctetStream stream) {
      offered.add(stream);
    }

    @Override
    public void onTaken(StreamListener of) {}

    @Override
    public void offerAgain(OctetStream stream) {
      offeredAgain.add(stream);
    }

    @Override
    public void begin(OctetStream stream) {}

    @Override
    public void onMoved(OctetStream stream) {}

    @Override
    public void drain(PairedSocket socket) {
      StreamSignals.drain(socket);
    }

    @Override
    public void close(PairedSocket socket) {
      socket.close();
    }

    @Override
    public void close(StreamMemory memory) {
      memory.close();
    }

    @Override
    public void release(OctetStream stream) {
      stream.parts().socket().close();
      released.add(stream);
    }
  }

  /** What a stream shares with the program. */
  StreamParts parts() {
    try {
      StreamMemory memory = StreamMemory.create(RING, LARGEST_RING);
      int index = lastIndex++;
      memory.header().write(0, index, memory.sending(), memory.receiving());
      PairedSocket[] ends = PairedSocket.ofMessages("test");
      ends[1].limitSending();
      return new StreamParts(section, index, index, memory, ends[0], ends[1], index, true);
    } catch (SystemCallException e) {
      throw new AssertionError(e);
    }
  }

  private TcpStack stack(LoopedDevice device, Ipv4Address address, int seed) {
    return new TcpStack(
        device,
        new InterfaceAddress(address, 24),
        TcpSettings.DEFAULTS,
        new SplittableRandom(seed),
        now);
  }

  /** Lets everything happen that can. */
  void run() {
    for (int i = 0; i < 60; i++) {
      turn();
    }
  }

  void turn() {
    now += 25_000;
    engine.turn(now);
    peerTcp.receive(now);
    peerDdp.send(64);
    peerTcp.advance(now);
    peerTcp.transmit(now);
  }

  /** One turn of the engine alone. */
  void ownTurn() {
    now += 25_000;
    engine.turn(now);
  }

  /** The next stream gets this doorbell. */
  void nextIndex(int index) {
    lastIndex = index;
  }

  /** So many nanoseconds pass. */
  void pass(long nanos) {
    now += nanos;
  }

  /** The doorbell of a stream rings. */
  void ring(OctetStream stream) {
    doorbells.ring(stream.parts().index());
  }

  /** The program's end of a stream. */
  final class Program {
    final OctetStream stream;
    final StreamMemory memory;
    final StreamHeader header;
    final PairedSocket socket;

    Program(OctetStream stream) throws IOException {
      this.stream = stream;
      StreamParts parts = stream.parts();
      memory =
          StreamMemory.map(parts.memory().descriptor().duplicate(), LARGEST_RING, LARGEST_RING);
      header = memory.header();
      socket = parts.programSocket();
      header.addProgramFlags(StreamHeader.MAPPED | StreamHeader.TAKEN);
      ring();
    }

    void ring() {
      OctetStreamFixture.this.ring(stream);
    }

    void write(String text) {
      long at = header.written();
      if (at == header.taken()) {
        header.sendRing(header.sendAllowed());
        memory.sending().use(header.sendAllowed());
      }
      for (int i = 0; i < text.length(); i++) {
        Memory.putByte(memory.sending().address(at + i), text.charAt(i));
      }
      header.write(at, at + text.length());
      ring();
    }

    String read() {
      long at = header.consumed();
      StringBuilder text = new StringBuilder();
      memory.receiving().use(header.receiveRing());
      for (long i = at; i < header.received(); i++) {
        text.append((char) Memory.getByte(memory.receiving().address(i)));
      }
      header.consume(at, header.received());
      ring();
      return text.toString();
    }

    void close() {
      socket.close();
    }
  }

  /** Accepts the stream that was offered first. */
  Program accept() throws IOException {
    return new Program(offered.remove());
  }

  /** A peer's end of a stream, which does what the test likes. */
  final class Peer implements StartupHandler, RdmapHandler {
    final List<String> events = new ArrayList<>();
    final RdmapStream stream;
    private final long memory = Memory.allocate(1 << 17);
    private byte[] answer = {};
    private int consumed;

    Peer(byte[] request) {
      RdmapSettings settings =
          new RdmapSettings(
              MpaSettings.DEFAULTS.withRevision(2).withPeerToPeer(true), 64, 64, 1, 1);
      stream = new RdmapStream(peerDdp, peerDomain, settings, this);
      stream.allowSendWithImmediate();
      for (int i = 0; i < 32; i++) {
        stream.postReceive(new StreamRequest(i).memory(memory + (1 << 16) + i * 2048L, 2048));
      }
      peerTcp.connect(
          OURS, SOCKETS_PORT, MpaStartup.initiator(settings.mpa(), request, this, stream.ddp()));
    }

    byte[] answer() {
      return answer;
    }

    /** Sends a message with octets {@code x} and says what has been consumed. */
    void send(int octets, int data) {
      for (int i = 0; i < octets; i++) {
        Memory.putByte(memory + i, 'x');
      }
      stream.postSendWithImmediate(new StreamRequest(99).memory(memory, octets).immediate(data));
    }

    void sendEnd() {
      stream.postSendWithImmediate(new StreamRequest(98).immediate(consumed | END));
    }

    void sendPlain(int octets) {
      stream.postSend(new StreamRequest(97).memory(memory, octets));
    }

    int consumed() {
      return consumed;
    }

    @Override
    public void onRequest(MpaStartup asked, byte[] privateData) {}

    @Override
    public void onAgreed(Negotiated terms, byte[] privateData) {
      answer = privateData;
      events.add("established");
    }

    @Override
    public void onRejected(byte[] privateData) {
      answer = privateData;
      events.add("rejected " + privateData[9]);
    }

    @Override
    public void onCompletion(long token, int kind, int status, long octets) {}

    @Override
    public void onReceivedWithImmediate(long token, long octets, int data, boolean solicited) {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < octets; i++) {
        text.append((char) Memory.getByte(memory + (1 << 16) + token * 2048 + i));
      }
      consumed += (int) octets;
      events.add("%s/%d%s".formatted(text, data & ~END, (data & END) == 0 ? "" : "/end"));
      stream.postReceive(new StreamRequest(token).memory(memory + (1 << 16) + token * 2048L, 2048));
    }

    @Override
    public void onError(int layer, int type, int code, String detail) {
      events.add("error");
    }

    @Override
    public void onPeerClosed() {
      events.add("peer closed");
    }

    @Override
    public void onClosed(CloseReason reason) {
      events.add("closed " + reason);
    }
  }

  /** A peer that asks for the listener's port. */
  Peer peer() {
    return new Peer(new StreamGreeting(PORT, 0, 2048).encode());
  }
}
