package org.rddp.fuzz;

import java.util.Arrays;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.rddp.mpa.MpaConnection;
import org.rddp.mpa.MpaError;
import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.Negotiated;
import org.rddp.mpa.StartupHandler;
import org.rddp.mpa.Ulpdu;
import org.rddp.mpa.UlpduHandler;
import org.rddp.tcp.CloseReason;
import org.rddp.wire.Memory;

/**
 * A user of MPA that checks the rules of its upcalls: each phase once and in order, nothing after
 * an error but the end, no ULPDU twice, ULPDUs in order unless they are early.
 */
final class FuzzedUlpdus implements StartupHandler, UlpduHandler {
  private static final long BUFFER = Memory.allocate(1 << 16);

  /** A Responder's answer to a Request. */
  enum Answer {
    ACCEPT,
    REJECT,
    LATER
  }

  private final Answer answer;
  private final byte[] replyData;
  private final TreeMap<Long, byte[]> passed = new TreeMap<>();
  private MpaStartup startup;
  private MpaConnection mpa;
  private byte[] privateData;
  private long delivered;
  private boolean requested;
  private boolean answered;
  private boolean operating;
  private boolean rejected;
  private boolean peerClosed;
  private boolean closed;
  private MpaError error;

  /** Declines one of this many ULPDUs that are offered before their turn; 0 for none. */
  int declines;

  private int offered;

  FuzzedUlpdus(Answer answer, byte[] replyData) {
    this.answer = answer;
    this.replyData = replyData;
  }

  /** The connection; null before Full Operation. */
  MpaConnection mpa() {
    return mpa;
  }

  @Override
  public void onRequest(MpaStartup asked, byte[] data) {
    startup = asked;
    alive();
    Frames.require(!requested, "two Requests");
    Frames.require(data.length <= 512, "Private Data of " + data.length + " octets");
    requested = true;
    privateData = data;
    if (answer != Answer.LATER) {
      answer(answer == Answer.ACCEPT);
    }
  }

  /** Answers a Request, if one waits for an answer. */
  void answer(boolean accept) {
    if (!requested || answered || closed || error != null) {
      return;
    }
    answered = true;
    byte[] data = Arrays.copyOf(replyData, Math.min(replyData.length, startup.maxPrivateData()));
    if (accept) {
      startup.accept(data);
    } else {
      rejected = true;
      startup.reject(data);
    }
  }

  @Override
  public void onAgreed(Negotiated terms, byte[] data) {
    alive();
    Frames.require(!operating && !rejected, "Full Operation twice, or after a reject");
    operating = true;
    if (!requested) {
      privateData = data;
    }
  }

  @Override
  public void onFullOperation(MpaConnection connection) {
    mpa = connection;
  }

  @Override
  public void onRejected(byte[] data) {
    alive();
    Frames.require(!requested && !operating && !rejected, "rejected, but not by a Reply");
    rejected = true;
    privateData = data;
  }

  @Override
  public boolean onEarlyUlpdu(Ulpdu ulpdu) {
    alive();
    Frames.require(ulpdu.early(), "offered as early, but is not");
    offered++;
    if (declines > 0 && offered % declines == 0) {
      return false;
    }
    onUlpdu(ulpdu);
    return true;
  }

  @Override
  public void onUlpdu(Ulpdu ulpdu) {
    alive();
    Frames.require(operating && !peerClosed, "a ULPDU before Full Operation or after the end");
    ulpdu.copy(0, BUFFER, ulpdu.length());
    byte[] octets = Memory.bytes(BUFFER, ulpdu.length());
    byte[] before = passed.put(ulpdu.position(), octets);
    Frames.require(before == null, "the ULPDU at " + ulpdu.position() + " is passed again");
    Frames.require(ulpdu.position() >= delivered, "passed behind its turn");
    if (!ulpdu.early()) {
      Long next = passed.higherKey(delivered - 1);
      Frames.require(next != null && next == ulpdu.position(), "an early one is before its turn");
      delivered = ulpdu.position() + 1;
    }
  }

  @Override
  public void onDelivered(long position) {
    alive();
    Frames.require(position > delivered, "delivered " + position + " after " + delivered);
    delivered = position;
  }

  @Override
  public void onSendable() {
    Frames.require(!closed, "sendable after the end");
  }

  @Override
  public void onMulpdu(int mulpdu) {
    Frames.require(mulpdu >= 128 && mulpdu <= 64768, "MULPDU " + mulpdu);
  }

  @Override
  public void onPeerClosed() {
    alive();
    Frames.require(!peerClosed, "the peer closed twice");
    peerClosed = true;
  }

  @Override
  public void onError(MpaError number, String detail) {
    alive();
    Frames.require(!detail.isBlank(), "an error without words");
    error = number;
  }

  @Override
  public void onClosed(CloseReason reason) {
    Frames.require(!closed, "closed twice");
    closed = true;
  }

  private void alive() {
    Frames.require(!closed && error == null, "heard after its end or an error");
  }

  /** ULPDUs by the stream positions of their FPDUs. */
  NavigableMap<Long, byte[]> passed() {
    return passed;
  }

  /** Stream position before which everything has had its turn; 0 at first. */
  long delivered() {
    return delivered;
  }

  /** The Private Data that was handed up, or null. */
  byte[] privateData() {
    return privateData;
  }

  boolean requested() {
    return requested;
  }

  boolean operating() {
    return operating;
  }

  boolean rejected() {
    return rejected;
  }

  boolean peerClosed() {
    return peerClosed;
  }

  boolean closed() {
    return closed;
  }

  MpaError error() {
    return error;
  }
}
