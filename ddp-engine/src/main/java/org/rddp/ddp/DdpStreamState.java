package org.rddp.ddp;

import org.rddp.ddp.receiving.DdpReceiver;
import org.rddp.ddp.receiving.EarlySegmentHeaders;
import org.rddp.ddp.receiving.HeldSegments;
import org.rddp.ddp.receiving.Placement;
import org.rddp.ddp.receiving.ReceiveCounters;
import org.rddp.ddp.receiving.ReceivingStream;
import org.rddp.ddp.receiving.UntaggedQueues;
import org.rddp.ddp.segment.DdpError;
import org.rddp.ddp.segment.DdpErrorReport;
import org.rddp.ddp.sending.DdpSender;
import org.rddp.mpa.MpaConnection;
import org.rddp.mpa.MpaError;
import org.rddp.mpa.Ulpdu;
import org.rddp.mpa.UlpduHandler;
import org.rddp.tcp.CloseReason;

/**
 * The life cycle of a {@link DdpStream}: start, failure and teardown (RFC 5041 section 6). Receives
 * MPA's callbacks and flushes what the user has posted.
 */
final class DdpStreamState implements UlpduHandler, ReceivingStream {
  private final UlpHandler user;
  private final UntaggedQueues queues;
  private final DdpSender sender;
  private final DdpReceiver receiver;
  private MpaConnection mpa;

  /** Whether sending is allowed: a Responder waits for the first FPDU (RFC 5044 section 7.1.2). */
  private boolean released;

  private boolean operating;
  private boolean rejected;
  private boolean peerClosed;
  private boolean receiving = true;
  private boolean failed;
  private boolean aborted;

  /** Whether the peer's close is reported only after the held segments. */
  private boolean endIsHeld;

  /** Whether the connection's regular end is reported only after the held segments. */
  private boolean closeIsHeld;

  DdpStreamState(
      UlpHandler user,
      ReceiveCounters counters,
      UntaggedQueues queues,
      DdpSender sender,
      Placement placement,
      EarlySegmentHeaders early,
      HeldSegments held) {
    this.user = user;
    this.queues = queues;
    this.sender = sender;
    receiver = new DdpReceiver(this, user, counters, queues, placement, early, held);
  }

  /** Sets the connection; to be called before the connection is used. */
  void attach(MpaConnection connection, boolean initiator) {
    mpa = connection;
    released = initiator;
  }

  /** Whether buffers may be posted. */
  boolean acceptsBuffers() {
    return receiving;
  }

  /** The last segment of the Untagged Message that is being Delivered. */
  DdpErrorReport deliveredSegment() {
    return receiver.deliveredSegment();
  }

  long heldOctets() {
    return receiver.heldOctets();
  }

  /** A buffer has been posted, or the user can take Tagged Messages again. */
  void bufferPosted() {
    receiver.takeHeld();
    if (endIsHeld && receiver.holdsNothing()) {
      endIsHeld = false;
      onPeerClosed();
      endIfHeld(CloseReason.NORMAL);
    }
  }

  /** Reports the connection's end if that was held back. */
  private void endIfHeld(CloseReason reason) {
    if (closeIsHeld) {
      closeIsHeld = false;
      end(reason);
    }
  }

  @Override
  public boolean onBufferAvailable() {
    bufferPosted();
    return !receiver.holdsNothing();
  }

  @Override
  public void holdWindow(boolean held) {
    mpa.holdWindow(held);
  }

  void reject(byte[] privateData) {
    rejected = true;
    mpa.reject(privateData);
  }

  /** Graceful teardown (section 6.2.1). */
  void close() {
    if (operating) {
      sender.close();
    } else if (rejected || mpa.refusing()) {
      stop(0);
      mpa.closeSend();
    } else {
      abort();
    }
  }

  /** Abortive teardown (section 6.2.2). */
  void abort() {
    aborted = true;
    stop(0);
    mpa.abort();
    endIfHeld(CloseReason.ABORTED);
  }

  /**
   * Flushes everything and drops further segments. One more message may be sent unless our half is
   * closed: also one that has been asked to close behind what was still waiting.
   */
  void fail() {
    if (!failed) {
      failed = true;
      stop(released && sender.isOpen() ? 1 : 0);
    }
  }

  @Override
  public void refuse(DdpError error, DdpErrorReport report) {
    fail();
    user.onError(error, report);
  }

  @Override
  public void refuseForUser(DdpErrorReport report) {
    fail();
    user.onRefused(report);
  }

  private void stop(int postsLeft) {
    receiving = false;
    if (!receiver.holdsNothing()) {
      queues.removeWaiter(this);
    }
    receiver.stop();
    holdWindow(false);
    sender.flush();
    queues.flush(user);
    // Only now: a message posted during the flush is not the last message.
    sender.allowPosts(aborted ? 0 : postsLeft);
  }

  @Override
  public void onRequest(byte[] privateData) {
    user.onRequest(privateData);
  }

  @Override
  public void onFullOperation(byte[] privateData) {
    operate();
    user.onFullOperation(privateData);
  }

  private void operate() {
    operating = true;
    int version = mpa.version() == 0 ? 0 : 1;
    receiver.start(version);
    sender.start(mpa, version, user.ulpBits(version));
  }

  @Override
  public void onRejected(byte[] privateData) {
    rejected = true;
    user.onRejected(privateData);
  }

  @Override
  public void onUlpdu(Ulpdu ulpdu) {
    released = true;
    if (peerClosed) {
      receiver.refuse(DdpError.LOCAL_CATASTROPHIC, DdpErrorReport.of(ulpdu));
    } else {
      receiver.receive(ulpdu);
    }
  }

  @Override
  public boolean onEarlyUlpdu(Ulpdu ulpdu) {
    return !peerClosed && receiver.receiveEarly(ulpdu);
  }

  @Override
  public void onDelivered(long position) {
    released = true;
    receiver.deliver(position);
  }

  @Override
  public void onSendable() {
    sender.wake();
  }

  /** Nothing to do: each segment is cut to the MULPDU at the time it is sent. */
  @Override
  public void onMulpdu(int mulpdu) {}

  @Override
  public void onPeerClosed() {
    if (!receiver.holdsNothing()) {
      endIsHeld = true;
      return;
    }
    peerClosed = true;
    if (!released) {
      sender.flush();
    }
    user.onPeerClosed();
  }

  @Override
  public void onError(MpaError error, String detail) {
    if (!operating && mpa.operating()) {
      // The negotiated parameters cannot be met: the stream only serves to tell the peer (RFC 6581
      // section 8).
      operate();
    }
    fail();
    user.onLlpError(error, detail);
  }

  /** After a regular close, held segments are still taken before the end is reported. */
  @Override
  public void onClosed(CloseReason reason) {
    closeIsHeld = reason == CloseReason.NORMAL && endIsHeld && !receiver.holdsNothing();
    if (!closeIsHeld) {
      end(reason);
    }
  }

  private void end(CloseReason reason) {
    stop(0);
    user.onClosed(reason);
  }
}
