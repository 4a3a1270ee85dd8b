package org.rddp.simulation.mpa;

import org.rddp.mpa.MpaConnection;
import org.rddp.mpa.StreamingHandler;
import org.rddp.mpa.StreamingMode;
import org.rddp.simulation.Violations;
import org.rddp.tcp.CloseReason;
import org.rddp.wire.Memory;

/**
 * One end's octets in streaming mode, before MPA: the Initiator sends first, then the Responder,
 * and MPA starts behind the Responder's last octet.
 */
final class StreamingPhase implements StreamingHandler {
  private static final int PART = 512;

  private final Violations violations;
  private final boolean initiator;
  private final HalfConnection out;
  private final HalfConnection in;
  private final long buffer;
  private final MpaConnection mpa;
  private final MpaProgram program;
  private final int toSend;
  private final int toCome;
  private StreamingMode streaming;
  private int sent;
  private int came;
  private boolean started;

  StreamingPhase(
      Violations violations,
      MpaTerms terms,
      boolean initiator,
      HalfConnection out,
      HalfConnection in,
      long buffer,
      MpaProgram program) {
    this.violations = violations;
    this.initiator = initiator;
    this.out = out;
    this.in = in;
    this.buffer = buffer;
    this.program = program;
    mpa = program.mpa();
    toSend = initiator ? terms.initiatorStreams() : terms.responderStreams();
    toCome = initiator ? terms.responderStreams() : terms.initiatorStreams();
  }

  @Override
  public void onOpen(StreamingMode opened) {
    streaming = opened;
    proceed();
  }

  private void proceed() {
    boolean mine = initiator || came == toCome;
    while (mine && sent < toSend) {
      int part = Math.min(PART, toSend - sent);
      out.pattern().write(sent, buffer, part);
      int taken = streaming.send(buffer, part);
      sent += taken;
      if (taken < part) {
        return;
      }
    }
    if (mine && came == toCome && !started) {
      started = true;
      streaming.start(mpa);
    }
  }

  @Override
  public int onOctets(long address, int length) {
    int part = Math.min(length, toCome - came);
    if (started || part == 0) {
      if (in.octets().wrong() == 0) {
        violations.add(length + " plain octets too many came");
      }
      return length;
    }
    for (int i = 0; i < part; i++) {
      int octet = Memory.getByte(address + i);
      if (octet != in.pattern().octet(came + i) && !in.octets().wrong(came + i, came + i + 1)) {
        violations.add("plain octet " + (came + i) + " is not what was sent");
      }
    }
    came += part;
    proceed();
    return started ? part : length;
  }

  @Override
  public void onSendable() {
    proceed();
  }

  @Override
  public void onPeerClosed() {
    program.onPeerClosed();
  }

  @Override
  public void onClosed(CloseReason reason) {
    if (!started) {
      program.onClosed(reason);
    }
  }

  /** Whether MPA has been started. */
  boolean started() {
    return started;
  }

  /** Resets the connection in either mode. */
  void abort() {
    if (streaming == null) {
      mpa.abort();
    } else {
      streaming.abort();
    }
  }

  /** Closes our half in either mode. */
  void closeSend() {
    streaming.closeSend();
  }
}
