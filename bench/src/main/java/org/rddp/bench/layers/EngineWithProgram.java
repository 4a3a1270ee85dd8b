package org.rddp.bench.layers;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.rddp.client.types.Access;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.RequestForm;
import org.rddp.client.types.SendFlags;
import org.rddp.client.types.SessionLimits;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.FaultHandler;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.daemon.engine.Session;
import org.rddp.daemon.engine.SessionHandler;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.device.FrameDevice;
import org.rddp.group.StackMember;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.ip.Ipv6Address;
import org.rddp.ipc.control.AcceptSettings;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.linux.WakeSocket;
import org.rddp.ipc.ring.DaemonRings;
import org.rddp.ipc.ring.PolledCompletion;
import org.rddp.ipc.ring.ProgramRings;
import org.rddp.ipc.ring.StagPieces;
import org.rddp.ipc.ring.WorkRequest;
import org.rddp.mpa.MpaSettings;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStack;
import org.rddp.wire.Memory;

/** An engine, a session and its program: one end of an {@link EnginePair}. */
final class EngineWithProgram implements SessionHandler, FaultHandler {
  private static final int SLOTS = 1024;
  private static final int SIGNAL_EVERY = 32;
  private static final byte[] NONE = {};

  private final Engine engine;
  private final Session session;
  private final ProgramRings rings;
  private final PolledCompletion completion = new PolledCompletion();
  private final StagPieces pieces = new StagPieces();
  private final int octets;
  private final MemorySegment source;
  private final long sink;
  private final int sourceStag;
  private final int sinkStag;
  private int connection;
  private int asked;
  private boolean connected;
  private long written;
  private long sent;
  private long received;

  /**
   * A program with registered memory.
   *
   * @param member the engine's place among those of its interface
   * @param octets of its source and of its sink, a multiple of 8
   * @param packing whether FPDUs share segments
   * @param now in ns
   */
  EngineWithProgram(
      String name,
      Ipv4Address address,
      FrameDevice device,
      StackMember member,
      int octets,
      boolean packing,
      long now)
      throws IOException, RequestRefusedException {
    this.octets = octets;
    Random random = new Random(name.hashCode());
    TcpSettings tcpSettings =
        TcpSettings.DEFAULTS.withAcknowledgmentDelay(TimeUnit.MICROSECONDS.toNanos(5));
    InterfaceAddress own = new InterfaceAddress(address, 24);
    TcpStack tcp = new TcpStack(device, own, tcpSettings, member, random, now);
    DdpEngine ddp = new DdpEngine(new TaggedBuffers(1024, random));
    MpaSettings mpa = MpaSettings.DEFAULTS.withReads(16, 16).withPacking(packing);
    RdmapSettings rdmap = new RdmapSettings(mpa, 256, 256);
    engine = new Engine(name, own, tcp, ddp, rdmap, this);
    MemorySegment memory = Arena.ofAuto().allocate(DaemonRings.octets(SLOTS, SLOTS), 64);
    DaemonRings ends = new DaemonRings(memory, SLOTS, SLOTS);
    rings = new ProgramRings(memory, () -> {});
    SessionLimits limits =
        new SessionLimits(SLOTS, 256, 256, WorkRequest.MAX_INLINE, 16, 16, 16, 1L << 30);
    session = new Session(name, engine, limits, ends, WakeSocket.pair()[0]::signal, this);
    engine.begin(session);
    source = Arena.global().allocate(octets, 64);
    sink = Memory.allocate(octets);
    sourceStag = session.register(source.address(), octets, Access.bits(Access.REMOTE_READ), 0);
    sinkStag =
        session.register(
            sink,
            octets,
            Access.bits(Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_ATOMIC),
            0);
  }

  Engine engine() {
    return engine;
  }

  void listen(int port) throws RequestRefusedException {
    session.listen(Ipv6Address.UNSPECIFIED, port, 16, ConnectionSettings.RDMAP);
  }

  void connect(Ipv4Address address, int port) throws RequestRefusedException {
    session.connect(address, port, NONE, TimeUnit.SECONDS.toNanos(10), ConnectionSettings.RDMAP);
  }

  /** Accepts a requested connection. */
  void acceptIfAsked() throws RequestRefusedException {
    if (asked != 0) {
      session.accept(asked, AcceptSettings.DEFAULTS, NONE);
      asked = 0;
    }
  }

  boolean connected() {
    return connected;
  }

  /** Writes consecutive numbers into the peer's memory; few are signalled. */
  void write(int times, EngineWithProgram to) {
    for (int i = 0; i < times; i++) {
      written++;
      Memory.putLongNative(source.address() + octets - Long.BYTES, written);
      int flags = written % SIGNAL_EVERY == 0 ? SendFlags.SIGNALLED : 0;
      check(
          rings
              .claim(1)
              .begin(Opcode.WRITE, flags, written, connection)
              .memory(sourceStag, 0, octets)
              .remote(to.sinkStag, 0)
              .submit());
    }
  }

  /** Numbers written by {@link #write}. */
  long written() {
    return written;
  }

  /** Whether the peer has written this number last. */
  boolean has(long number) {
    return Memory.getLongNative(sink + octets - Long.BYTES) == number;
  }

  /** Posts receives. */
  void receive(int times) {
    for (int i = 0; i < times; i++) {
      check(
          rings
              .claim(1)
              .begin(Opcode.RECEIVE, SendFlags.SIGNALLED, 0, connection)
              .memory(sinkStag, 0, octets)
              .submit());
    }
  }

  /**
   * Posts signalled requests of a kind: the whole source goes, or the peer's whole source comes.
   */
  void request(RequestKind kind, int times, EngineWithProgram peer) {
    for (int i = 0; i < times; i++) {
      check(
          switch (kind) {
            case WRITE -> post(Opcode.WRITE, sourceStag, octets, peer.sinkStag);
            case INLINE_WRITE -> postInline(Opcode.WRITE, peer.sinkStag);
            case LISTED_WRITE -> postList(peer.sinkStag);
            case WRITE_IMMEDIATE -> post(Opcode.WRITE_IMMEDIATE, sourceStag, octets, peer.sinkStag);
            case IMMEDIATE -> post(Opcode.IMMEDIATE, 0, 0, 0);
            case SEND -> post(Opcode.SEND, sourceStag, octets, 0);
            case INLINE_SEND -> postInline(Opcode.SEND, 0);
            case READ -> post(Opcode.READ, sinkStag, octets, peer.sourceStag);
            case FETCH_ADD -> postAtomic(Opcode.FETCH_ADD, peer.sinkStag);
            case SWAP -> postAtomic(Opcode.SWAP, peer.sinkStag);
            case COMPARE_SWAP -> postAtomic(Opcode.COMPARE_SWAP, peer.sinkStag);
          });
    }
  }

  private boolean post(int opcode, int stag, int length, int remoteStag) {
    return rings
        .claim(1)
        .begin(opcode, SendFlags.SIGNALLED, 1, connection)
        .memory(stag, 0, length)
        .remote(remoteStag, 0)
        .submit();
  }

  private boolean postInline(int opcode, int remoteStag) {
    return rings
        .claim(WorkRequest.slotsForInline(octets))
        .begin(opcode, SendFlags.SIGNALLED, 1, connection)
        .inline(source, 0, octets)
        .remote(remoteStag, 0)
        .submit();
  }

  private boolean postList(int remoteStag) {
    pieces.clear();
    pieces.add(sourceStag, 0, octets / 2);
    pieces.add(sourceStag, octets / 2, octets - octets / 2);
    return rings
        .claim(pieces.slots())
        .begin(Opcode.WRITE, SendFlags.SIGNALLED, 1, connection)
        .memory(pieces)
        .remote(remoteStag, 0)
        .submit();
  }

  private boolean postAtomic(int opcode, int remoteStag) {
    return rings
        .claim(WorkRequest.ATOMIC_SLOTS)
        .begin(opcode, SendFlags.SIGNALLED, 1, connection)
        .memory(sinkStag, 0, RequestForm.ATOMIC_OCTETS)
        .operands(1, 0, 0, 0)
        .remote(remoteStag, 0)
        .submit();
  }

  private static void check(boolean posted) {
    if (!posted) {
      throw new IllegalStateException("no room for a request");
    }
  }

  /** Polls all completions. */
  void poll() {
    while (rings.poll(completion)) {
      if (!completion.isSuccess()) {
        throw new IllegalStateException("a request failed: " + completion);
      }
      if (completion.opcode() == Opcode.RECEIVE) {
        received++;
      } else {
        sent++;
      }
    }
    rings.publish();
  }

  /** Completed requests other than receives. */
  long sent() {
    return sent;
  }

  /** Completed receives. */
  long received() {
    return received;
  }

  @Override
  public void send(DaemonMessage message) {
    if (message instanceof DaemonMessage.ConnectionRequested requested) {
      asked = requested.connection();
    } else if (message instanceof DaemonMessage.Established established) {
      connection = established.connection();
      connected = true;
    } else {
      throw new IllegalStateException("not expected: " + message);
    }
  }

  @Override
  public void onBroken(String detail) {
    throw new IllegalStateException(detail);
  }

  @Override
  public void onFault(String where, Throwable cause) {
    throw new IllegalStateException(where, cause);
  }

  @Override
  public void onRefused(String detail) {
    throw new IllegalStateException(detail);
  }
}
