package org.rddp.mpa;

import org.rddp.wire.Memory;

/** One end of MPA over a {@link RecordingStream}, driven by a test in the peer's place. */
final class Endpoint {
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

  final RecordingStream stream;
  final RecordingHandler handler = new RecordingHandler();
  final MpaConnection mpa;

  private Endpoint(MpaSettings settings, byte[] privateData, boolean initiator, int packets) {
    stream = new RecordingStream(packets);
    mpa =
        initiator
            ? MpaConnection.initiator(settings, privateData, handler)
            : MpaConnection.responder(settings, handler);
  }

  /** An Initiator, not open yet. */
  static Endpoint initiator(MpaSettings settings, byte[] privateData) {
    return new Endpoint(settings, privateData, true, FEW);
  }

  /** A Responder, not open yet. */
  static Endpoint responder(MpaSettings settings) {
    return new Endpoint(settings, NONE, false, FEW);
  }

  /** Opens TCP. */
  Endpoint open() {
    stream.open(mpa);
    return this;
  }

  /** An Initiator in Full Operation; its Request and the peer's Reply are behind it. */
  static Endpoint initiating(MpaSettings settings, int replyFlags) {
    Endpoint end = initiator(settings, NONE).open();
    end.stream.takeSent();
    end.stream.receive(Wire.reply(replyFlags, NONE));
    return end;
  }

  /** A Responder in Full Operation, with nothing received yet. */
  static Endpoint responding(MpaSettings settings, int requestFlags) {
    Endpoint end = new Endpoint(settings, NONE, false, MANY).open();
    end.handler.uponRequest = () -> end.mpa.accept(NONE);
    end.stream.receive(Wire.request(requestFlags, NONE));
    end.stream.takeSent();
    return end;
  }

  /** Sends a ULPDU, its first octets as the header part. */
  boolean send(byte[] ulpdu, int headerLength) {
    Memory.copy(ulpdu, 0, BUFFER, ulpdu.length);
    return mpa.send(BUFFER, headerLength, BUFFER + headerLength, ulpdu.length - headerLength);
  }

  /** Sends a ULPDU. */
  boolean send(byte[] ulpdu) {
    return send(ulpdu, Math.min(14, ulpdu.length));
  }
}
