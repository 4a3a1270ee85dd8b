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
import org.rddp.mpa.FpduObserver;
import org.rddp.mpa.MpaConnection;
import org.rddp.mpa.MpaError;
import org.rddp.mpa.Ulpdu;
import org.rddp.mpa.UlpduHandler;
import org.rddp.tcp.CloseReason;

/**
 * The life cycle of a {@link DdpStream}: begin, failure and teardown (RFC 5041 section 6). Receives
 * MPA's callbacks and flushes what the user has posted.
 */
final class DdpStreamState implements UlpduHandler, ReceivingStream {
  private final UlpHandler user;
  private final UntaggedQueues queues;
  private final DdpSender sender;
  private final DdpReceiver receiver;

  /** Null before Full Operation. */
  private MpaConnection mpa;

  /** Null while the connection is not traced. */
  private FpduObserver observer;

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
    if (mpa != null) {
      mpa.holdWindow(held);
    }
  }

  /** Tells an observer of every FPDU from now on; null: nobody. */
  void observe(FpduObserver next) {
    observer = next;
    if (mpa != null) {
      mpa.observe(next);
    }
  }

  int prefetch() {
    return mpa == null ? 0 : mpa.fullMulpdu();
  }

  int prefetchSending() {
    return mpa == null ? 0 : mpa.prefetchSending();
  }

  /** Whether what is posted waits for the Initiator's first message. */
  boolean awaitsFirstFpdu() {
    return mpa != null && mpa.awaitsFirstFpdu();
  }

  private boolean maySend() {
    return mpa != null && !mpa.awaitsFirstFpdu();
  }

  /** Graceful teardown (section 6.2.1). */
  void close() {
    if (mpa == null) {
      stop(0);
    } else {
      sender.close();
    }
  }

  /** Abortive teardown (section 6.2.2). */
  void abort() {
    aborted = true;
    stop(0);
    if (mpa != null) {
      mpa.abort();
    }
    endIfHeld(CloseReason.ABORTED);
  }

  /**
   * Flushes everything and drops further segments. One more message may be sent unless our half is
   * closed: also one that has been asked to close behind what was still waiting.
   */
  void fail() {
    if (!failed) {
      failed = true;
      stop(maySend() && sender.isOpen() ? 1 : 0);
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
  public void onFullOperation(MpaConnection connection) {
    mpa = connection;
    mpa.observe(observer);
    int version = mpa.negotiated().version() == 0 ? 0 : 1;
    receiver.start(version);
    sender.start(mpa, version, user.ulpBits(version));
    if (!mpa.failed()) {
      user.onFullOperation(mpa);
    }
  }

  @Override
  public void onUlpdu(Ulpdu ulpdu) {
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
    if (awaitsFirstFpdu()) {
      sender.flush();
    }
    user.onPeerClosed();
  }

  @Override
  public void onError(MpaError error, String detail) {
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
