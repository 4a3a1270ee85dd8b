package org.rddp.ddp;

import java.util.function.LongPredicate;
import org.rddp.ddp.memory.DdpReferences;
import org.rddp.ddp.memory.DomainMember;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.receiving.DdpReceiver;
import org.rddp.ddp.receiving.EarlySegmentHeaders;
import org.rddp.ddp.receiving.HeldSegments;
import org.rddp.ddp.receiving.Placement;
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
import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.CloseReason;

/**
 * One DDP Stream over one MPA connection (RFC 5041 section 6): sends and receives messages, and
 * closes.
 *
 * <p>Everything posted is returned exactly once: sent, Delivered or flushed. A stream that fails
 * reports the error and stays open until its user closes or aborts it. Engine thread only.
 */
public final class DdpStream extends DomainMember implements UlpduHandler, ReceivingStream {
  /** Octets of the longest ULP message (RFC 5041 section 5.2). */
  public static final long MAX_MESSAGE = 0xffff_ffffL; // DDP-5.2-02: "MUST be less than 2^32"

  private final UlpHandler user;
  private final UntaggedQueues queues;
  private final DdpSender sender;
  private final DdpReceiver receiver;

  /** Null before Full Operation. */
  private MpaConnection mpa;

  /** Null while nobody observes. */
  private FpduObserver observer;

  private boolean peerClosed;
  private boolean receiving = true;
  private boolean failed;
  private boolean aborted;

  /** Whether the peer's close is reported only after the held segments. */
  private boolean endIsHeld;

  /** Whether the connection's regular end is reported only after the held segments. */
  private boolean closeIsHeld;

  /**
   * Creates a stream that {@link org.rddp.mpa.MpaStartup} begins. Its user may post before that.
   *
   * @param domain the domain whose STags the peer may use
   */
  public DdpStream(
      DdpEngine engine, ProtectionDomain domain, DdpSettings settings, UlpHandler user) {
    super(domain);
    this.user = user;
    queues = new UntaggedQueues(settings.queues(), settings.queueMemory());
    sender =
        new DdpSender(
            engine.sendScheduler(),
            user,
            settings.sendDepth(),
            settings.responseDepth(),
            settings.queues().size(),
            settings.queueMemory(),
            settings.acknowledged());
    Placement placement = new Placement(this, engine.taggedBuffers(), queues);
    HeldSegments held =
        new HeldSegments(settings.heldOctets(), engine.heldMemory(), settings.heldShare());
    EarlySegmentHeaders early = new EarlySegmentHeaders(engine.earlyRoom());
    receiver =
        new DdpReceiver(this, user, engine.receiveCounters(), queues, placement, early, held);
  }

  /** Sets the observer of the FPDUs from now on; null for none. */
  public void observe(FpduObserver next) {
    observer = next;
    if (mpa != null) {
      mpa.observe(next);
    }
  }

  /** The send queue, for a user that has checked the length of its messages itself. */
  public DdpSender sender() {
    return sender;
  }

  /** The queues for the peer's Untagged Messages. */
  public UntaggedQueues queues() {
    return queues;
  }

  /** Whether buffers may be posted: the stream has not failed. */
  public boolean acceptsBuffers() {
    return receiving;
  }

  /**
   * Touches the cache lines that posting a message needs; the result only keeps the JIT from
   * removing the loads.
   */
  public int prefetch() {
    return sender.prefetch() + (mpa == null ? 0 : mpa.fullMulpdu());
  }

  /** Prefetches what sending the message needs, once {@link #prefetch} has been called. */
  public int prefetchSending() {
    return sender.prefetchMessage() + (mpa == null ? 0 : mpa.prefetchSending());
  }

  /**
   * Appends a buffer to a queue; the peer's next message on that queue goes to the queue's first
   * buffer. Held segments that it fits are taken within this call.
   *
   * @param qn Queue Number, one of the stream's
   * @param request says where the message goes; its token comes back with the buffer
   * @return false, and nothing happens, if the queue is full or shared, or the stream does not
   *     receive
   */
  public boolean postReceive(int qn, StreamRequest request) {
    checkLength(request);
    if (!receiving || !queues.buffered(qn).post(request)) {
      return false;
    }
    resumeReceiving();
    return true;
  }

  /**
   * Ends a receive that is not posted, with a status of the user's: {@link
   * UlpHandler#onReceiveRefused} follows when those posted before it have ended.
   *
   * @param qn Queue Number of a queue of posted buffers
   * @return false, and nothing happens, if the queue is shared
   */
  public boolean refuseReceive(int qn, long token, int status) {
    return queues.refuse(qn, token, status, user);
  }

  /**
   * Sends a message to a Tagged Buffer of the peer. Each piece of memory is cut into segments by
   * itself.
   *
   * @param token comes back when it has been sent
   * @param rsvdUlp the user's octet
   * @param request says where the message lies, 0 to 2^32-1 octets, and where at the peer it goes
   * @return false, and nothing happens, if the queue is full or the stream does not send
   */
  public boolean postTagged(long token, int rsvdUlp, StreamRequest request) {
    checkLength(request);
    return sender.postTagged(token, rsvdUlp, request);
  }

  /**
   * Sends a message to the next buffer of one of the peer's queues. Each piece of memory is cut
   * into segments by itself.
   *
   * @param token comes back when it has been sent
   * @param rsvdUlp the first of the user's five octets
   * @param rsvdUlpRest the other four
   * @param qn Queue Number, one of the stream's
   * @param request says where the message lies, 0 to 2^32-1 octets
   * @return false, and nothing happens, if the queue is full or the stream does not send
   */
  public boolean postUntagged(
      long token, int rsvdUlp, int rsvdUlpRest, int qn, StreamRequest request) {
    checkLength(request);
    return sender.postUntagged(token, rsvdUlp, rsvdUlpRest, qn, request);
  }

  /** Whether posted messages wait for the Initiator's first message (RFC 5044 section 7.1.2). */
  public boolean awaitsFirstMessage() {
    return mpa != null && mpa.awaitsFirstFpdu();
  }

  /** Octets of held segments, headers included. */
  public long heldOctets() {
    return receiver.heldOctets();
  }

  /**
   * The last segment of the Untagged Message being Delivered, for the report of an error in it;
   * call only within {@link UlpHandler#onUntaggedMessage}.
   */
  public DdpErrorReport deliveredSegment() {
    return receiver.deliveredSegment();
  }

  /**
   * Takes memory away from posted buffers and messages: when this returns, nothing more is placed
   * into it or read from it. The requests stay in their queues. When a message's turn comes and it
   * needs the memory, {@link UlpHandler#onSendRevoked} follows; when a buffer's, the stream fails
   * and {@link UlpHandler#onReceiveRevoked} follows.
   *
   * @param receives which buffers, by their tokens
   * @param messages which messages, by their tokens
   */
  public void revoke(LongPredicate receives, LongPredicate messages) {
    queues.revoke(receives);
    sender.revoke(messages);
  }

  /** Asks {@link UlpHandler#mayDeliverTagged} again, because its result may have changed. */
  public void resumeReceiving() {
    receiver.takeHeld();
    if (endIsHeld && receiver.holdsNothing()) {
      endIsHeld = false;
      onPeerClosed();
      endIfHeld(CloseReason.NORMAL);
    }
  }

  private static void checkLength(StreamRequest request) {
    long length = request.length();
    if (length < 0 || length > MAX_MESSAGE) { // DDP-5.2-02
      throw new IllegalArgumentException("a message has 0 to 2^32-1 octets: " + length);
    }
  }

  /**
   * Graceful teardown (RFC 5041 section 6.2.1): no more messages may be posted; when all posted
   * ones have been sent, our half of the connection is closed. Receiving continues. A stream that
   * has not begun flushes everything within this call.
   */
  public void close() {
    if (mpa == null && !closeIsHeld) {
      stop(0);
    } else {
      sender.close(); // DDP-6.2-02, DDP-6.2.1-01, DDP-6.2.1-06
    }
  }

  /**
   * Abortive teardown (RFC 5041 section 6.2.2): flushes everything and resets the connection. After
   * this returns, no memory of the user is accessed.
   */
  public void abort() {
    aborted = true;
    stop(0);
    if (mpa != null) {
      // DDP-6.2.2-04: "MUST NOT be terminated until the Local Peer ULP indicates"; DDP-3-12: "the
      // LLP Connection MUST be torn down"
      mpa.abort();
    }
    endIfHeld(CloseReason.ABORTED);
  }

  /**
   * Fails the stream, for its user: flushes everything outstanding, drops everything received from
   * now on, and allows one more message unless our half has been closed. The user must still close
   * or abort the stream.
   */
  public void fail() {
    if (!failed) {
      failed = true;
      // DDP-3-09: "MUST NOT allow any further data transfer on that LLP Stream"; DDP-6.2-01: "DDP
      // MUST NOT independently initiate Stream Teardown". DDP-6.2.2-02: what was posted ends in
      // error; DDP-6.2.2-03, DDP-7.1-19: but one more message.
      stop(maySend() && sender.isOpen() ? 1 : 0);
    }
  }

  // ---- Calls of MPA and of the receiver ----

  /** Reports the connection's end if the report was held back. */
  private void endIfHeld(CloseReason reason) {
    if (closeIsHeld) {
      closeIsHeld = false;
      end(reason);
    }
  }

  @Override
  public boolean onBufferAvailable() {
    resumeReceiving();
    return !receiver.holdsNothing();
  }

  @Override
  public void holdWindow(boolean held) {
    if (mpa != null) {
      mpa.holdWindow(held);
    }
  }

  private boolean maySend() {
    return mpa != null && !mpa.awaitsFirstFpdu();
  }

  @Override
  public void refuse(DdpError error, DdpErrorReport report) {
    // DDP-6.2.2-04; DDP-6.2.2-01: "MUST cause DDP to indicate to the ULP that a fatal error has
    // occurred"; DDP-7.1-16: "MUST cease placing the remainder of the DDP Segment"
    user.onError(error, report);
  }

  @Override
  public void refuseForUser(DdpErrorReport report) {
    user.onRefused(report);
  }

  private void stop(int postsLeft) {
    receiving = false;
    if (!receiver.holdsNothing()) {
      queues.removeWaiter(this);
    }
    // DDP-3-09; DDP-7.1-18: "MUST silently drop any subsequent incoming DDP Segments"
    receiver.stop();
    holdWindow(false);
    sender.flush();
    queues.flush(user); // DDP-6.2.2-02
    // Not before the flush: a message posted during it is not the last message.
    sender.allowPosts(aborted ? 0 : postsLeft);
  }

  @Override
  public void onFullOperation(MpaConnection connection) {
    mpa = connection;
    mpa.observe(observer);
    // MPA-3-15; DDP-4.1-08: "MUST be set to one to indicate the version"; DDP-4.1-09: "MUST be the
    // same for all the DDP Segments"
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
      // DDP-6.2.1-03: "MUST cause the DDP Stream to be abortively torn down"
      receiver.refuse(DdpError.LOCAL_CATASTROPHIC, DdpErrorReport.of(ulpdu));
    } else {
      receiver.receive(ulpdu);
    }
  }

  @Override
  public boolean onEarlyUlpdu(Ulpdu ulpdu) {
    return !peerClosed && receiver.receiveEarly(ulpdu); // DDP-6.2.1-03
  }

  @Override
  public void onDelivered(long position) {
    receiver.deliver(position);
  }

  @Override
  public void onSendable() {
    sender.wake();
  }

  @Override
  public void onFpdusAcknowledged() {
    sender.takeAcknowledged();
  }

  /** Does nothing: each segment is cut to the MULPDU when it is sent. */
  @Override
  public void onMulpdu(int mulpdu) {}

  @Override
  public void onPeerClosed() {
    if (!receiver.holdsNothing()) {
      endIsHeld = true;
      return;
    }
    peerClosed = true;
    if (awaitsFirstMessage()) {
      sender.flush();
    }
    user.onPeerClosed(); // DDP-6.2.1-04
  }

  @Override
  public void onError(MpaError error, String detail) {
    user.onLlpError(error, detail); // MPA-8-11, DDP-6.2.2-01, DDP-7-01
  }

  /** Reports the end; after a regular close, takes held segments first. */
  @Override
  public void onClosed(CloseReason reason) {
    closeIsHeld = reason == CloseReason.NORMAL && endIsHeld && !receiver.holdsNothing();
    if (closeIsHeld) {
      // The last use of the connection: this stream may go on without it in another engine.
      sender.takeAcknowledged();
    } else {
      end(reason); // DDP-3-03: "transfer it reliably to the receiver or return with an error"
    }
  }

  private void end(CloseReason reason) {
    sender.takeAcknowledged();
    stop(0);
    user.onClosed(reason);
  }

  // ---- The stream goes on in another engine ----

  /**
   * Transfers its state. When read, the stream is new, has the same settings, and its user.
   *
   * @param connection its connection of MPA, when read; null before Full Operation, or if it has
   *     ended and held segments wait
   */
  public void transfer(Snapshot snapshot, MpaConnection connection, DdpReferences references) {
    snapshot.begin(DdpStream.class);
    if (snapshot.flag("mpa", mpa != null && !closeIsHeld) && snapshot.reads()) {
      if (connection == null) {
        throw snapshot.wrong("the stream has begun, and has no connection");
      }
      mpa = connection;
    }
    transferDomain(snapshot, references);
    peerClosed = snapshot.flag("peerClosed", peerClosed);
    receiving = snapshot.flag("receiving", receiving);
    failed = snapshot.flag("failed", failed);
    aborted = snapshot.flag("aborted", aborted);
    endIsHeld = snapshot.flag("endIsHeld", endIsHeld);
    closeIsHeld = snapshot.flag("closeIsHeld", closeIsHeld);
    queues.transfer(snapshot, references);
    sender.transfer(snapshot, mpa, references);
    receiver.transfer(snapshot);
    snapshot.end();
  }

  /** Whether TCP has ended, and the stream ends when it has taken its held segments. */
  boolean closeIsHeld() {
    return closeIsHeld;
  }

  /**
   * Gives back what it has of the memory of all streams, without a word to its user, since another
   * stream goes on. It must not be used afterwards.
   */
  public void retire() {
    receiver.stop();
  }
}
