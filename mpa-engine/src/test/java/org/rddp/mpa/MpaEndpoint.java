package org.rddp.mpa;

import org.rddp.device.NativePacketPool;
import org.rddp.tcp.testing.InMemoryTcpStream;
import org.rddp.wire.Memory;

/** One end of MPA over a {@link InMemoryTcpStream}, driven by a test in the peer's place. */
final class MpaEndpoint {
  /** Flag M of a startup frame. */
  static final int M = 0x80;

  /** Flag C of a startup frame. */
  static final int C = 0x40;

  /** Flag R of a startup frame. */
  static final int R = 0x20;

  static final byte[] NONE = {};

  private static final long BUFFER = Memory.allocate(1 << 16);

  private static final int FEW = 8;
  private static final int MANY = 128;

  final InMemoryTcpStream stream;
  final RecordingHandler handler = new RecordingHandler();
  final MpaStartup startup;

  private MpaEndpoint(MpaSettings settings, byte[] privateData, boolean initiator, int packets) {
    stream = new InMemoryTcpStream(new NativePacketPool(packets, 2304), 1460, 0x5a);
    startup =
        initiator
            ? MpaStartup.initiator(settings, privateData, handler, handler)
            : MpaStartup.responder(settings, handler, handler);
  }

  /** An Initiator, not open yet. */
  static MpaEndpoint initiator(MpaSettings settings, byte[] privateData) {
    return new MpaEndpoint(settings, privateData, true, FEW);
  }

  /** A Responder, not open yet. */
  static MpaEndpoint responder(MpaSettings settings) {
    return new MpaEndpoint(settings, NONE, false, FEW);
  }

  /** Opens TCP. */
  MpaEndpoint open() {
    stream.open(startup);
    return this;
  }

  /** The connection; null before Full Operation. */
  MpaConnection mpa() {
    return handler.connection;
  }

  /** An Initiator in Full Operation, after its Request and the peer's Reply. */
  static MpaEndpoint initiating(MpaSettings settings, int replyFlags) {
    MpaEndpoint end = initiator(settings, NONE).open();
    end.stream.takeSent();
    end.stream.receive(PeerOctets.reply(replyFlags, NONE));
    return end;
  }

  /** A Responder in Full Operation, with nothing received yet. */
  static MpaEndpoint responding(MpaSettings settings, int requestFlags) {
    MpaEndpoint end = new MpaEndpoint(settings, NONE, false, MANY).open();
    end.handler.uponRequest = () -> end.startup.accept(NONE);
    end.stream.receive(PeerOctets.request(requestFlags, NONE));
    end.stream.takeSent();
    return end;
  }

  /** Sends a ULPDU, its first octets as the header part; false before Full Operation. */
  boolean send(byte[] ulpdu, int headerLength) {
    Memory.copy(ulpdu, 0, BUFFER, ulpdu.length);
    return mpa() != null
        && mpa().send(BUFFER, headerLength, BUFFER + headerLength, ulpdu.length - headerLength);
  }

  /** Sends a ULPDU. */
  boolean send(byte[] ulpdu) {
    return send(ulpdu, Math.min(14, ulpdu.length));
  }
}
