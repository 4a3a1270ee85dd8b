package org.rddp.interop.opcodes;

import java.util.random.RandomGenerator;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.device.FrameDevice;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.Negotiated;
import org.rddp.mpa.StartupHandler;
import org.rddp.rdmap.RdmapCompletionStatus;
import org.rddp.rdmap.RdmapHandler;
import org.rddp.rdmap.RdmapStream;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStack;
import org.rddp.wire.Memory;

/** One end of a link, with one stream at a time and a region for the other end to access. */
final class OpcodeHost implements StartupHandler, RdmapHandler {
  /** Octets of the region. */
  static final int REGION = 1 << 16;

  private static final int STAGS = 8;
  private static final int SEGMENTS = 64;
  private static final int RECEIVE = 64;

  final TcpStack stack;
  final Ipv4Address address;
  final DdpEngine engine;
  final ProtectionDomain domain = new ProtectionDomain("opcodes");

  /** Address of the region; receives use the octets after it. */
  final long memory = Memory.allocate(2L * REGION);

  private final FrameDevice device;
  private int stag;
  private RdmapStream stream;
  private boolean established;
  private boolean closed;
  private int done;
  private String error = "";

  OpcodeHost(FrameDevice device, String address, RandomGenerator random) {
    this.device = device;
    this.address = Ipv4Address.parse(address);
    InterfaceAddress own = new InterfaceAddress(this.address, 24);
    stack = new TcpStack(device, own, TcpSettings.DEFAULTS, random, 0);
    engine = new DdpEngine(new TaggedBuffers(STAGS, random));
  }

  /** Registers the region for the stream, unless it is valid; the peer may invalidate it. */
  void registerRegion() {
    if (engine.taggedBuffers().lookup(stag) == null) {
      stag =
          engine
              .taggedBuffers()
              .register(domain, stream.ddp(), memory, REGION, memory, AccessRights.ALL);
    }
  }

  int stag() {
    return stag;
  }

  /** Uses another stream from now on, for which the region is registered. */
  void useStream(RdmapStream next) {
    stream = next;
    engine.taggedBuffers().invalidate(stag);
    registerRegion();
    established = false;
    closed = false;
    done = 0;
    error = "";
  }

  RdmapStream stream() {
    return stream;
  }

  /** Posts receives of 64 octets. */
  void postReceives(int count) {
    for (int i = 0; i < count; i++) {
      stream.postReceive(
          new StreamRequest(i).memory(memory + REGION + (long) RECEIVE * i, RECEIVE));
    }
  }

  /** Runs a turn of the duty cycle; returns the amount of work done. */
  int turn(long now) {
    int done = stack.receive(now);
    done += engine.send(SEGMENTS);
    done += stack.advance(now);
    return done + stack.transmit(now);
  }

  boolean established() {
    return established;
  }

  boolean closed() {
    return closed;
  }

  /** Requests and receives that have succeeded. */
  int completed() {
    return done;
  }

  /** The error that has ended the stream, as layer/type/code, or an empty text. */
  String error() {
    return error;
  }

  void close() {
    stack.close();
    device.close();
  }

  @Override
  public void onRequest(MpaStartup startup, byte[] privateData) {
    startup.accept(new byte[0]);
  }

  @Override
  public void onAgreed(Negotiated terms, byte[] privateData) {
    established = true;
  }

  @Override
  public void onRejected(byte[] privateData) {
    throw new IllegalStateException("rejected");
  }

  @Override
  public void onCompletion(long id, int kind, int status, long octets) {
    done += status == RdmapCompletionStatus.SUCCESS ? 1 : 0;
  }

  @Override
  public void onError(int layer, int type, int code, String detail) {
    error = layer + "/" + type + "/" + code;
  }

  @Override
  public void onPeerClosed() {
    stream.close();
  }

  @Override
  public void onClosed(CloseReason reason) {
    closed = true;
  }
}
