package org.rddp.client;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.rddp.client.types.Access;
import org.rddp.client.types.CheckReturnValue;
import org.rddp.client.types.CompletionStatus;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;
import org.rddp.client.types.SendFlags;
import org.rddp.client.types.SessionLimits;
import org.rddp.client.types.StartupTerms;
import org.rddp.ipc.ring.PolledCompletion;
import org.rddp.ipc.ring.SubmissionEntry;

/**
 * A connection to a peer: a queue of receives, and a queue of sends, writes, reads, atomics and
 * local operations (a queue pair, in the words of verbs).
 *
 * <p>Every posted request completes exactly once, in the order of its queue: with success, with an
 * error, or flushed when the connection ends first. The next completion of its queue reports a
 * successful unsignalled one; so signal at least one in every {@link SessionLimits#sendQueue}. A
 * post to a queue that is full of unsignalled requests throws {@link IllegalStateException}, since
 * nothing would ever make room.
 *
 * <p>A connection may end some time before the program learns of it. So a post to an ended
 * connection does not throw, whichever end has closed it: the request completes as {@link
 * CompletionStatus#FLUSHED}.
 *
 * <p>A program must not change or free the memory of a request before it completes.
 *
 * <p>The {@code post} methods, and {@link Rddp#poll}, are for one thread at a time; they neither
 * block nor allocate. The other methods may be called from any thread.
 */
public final class Connection implements AutoCloseable {
  private final Rddp session;
  private final int id;
  private final ConnectionState life = new ConnectionState();
  private final WorkQueues queues;
  private final Atomics atomics;
  private final LocalOperations localOperations;
  private final BlockingOperations blocking;
  private final ConnectionEnd end;

  /** Null if the connection speaks RDMAP. */
  private final DdpQueues ddp;

  private final CompletionQueue completionQueue;
  private volatile Object attachment;

  /** Requests that blocking calls gave up; null if there never was one. */
  private List<Awaited> abandoned;

  Connection(Rddp session, SessionLimits limits, int id, ConnectionOptions options) {
    this.session = session;
    this.id = id;
    queues = new WorkQueues(this, limits, !options.isPlainDdp(), options.receiveQueue() != null);
    atomics = new Atomics(queues);
    localOperations = new LocalOperations(queues);
    blocking = new BlockingOperations(this, queues);
    end = new ConnectionEnd(this);
    ddp = options.isPlainDdp() ? new DdpQueues(queues, options) : null;
    completionQueue =
        options.completionQueue() == null
            ? session.completions().mainQueue()
            : options.completionQueue();
  }

  /** Takes over the options with which the daemon has accepted it. */
  void accepted(AcceptOptions options) {
    if (options.receiveQueue() != null) {
      queues.share();
    }
  }

  /** Its number in completions, which is not reused soon. */
  public int id() {
    return id;
  }

  /** Its session. */
  public Rddp session() {
    return session;
  }

  /**
   * Attaches the program's own object, for example its state of the peer, and replaces an earlier
   * one; null for none. A handler gets it by {@link Completion#connection()} and {@link
   * #attachment()}.
   */
  public void attach(Object object) {
    attachment = object;
  }

  /** The object that was attached last, or null. */
  public Object attachment() {
    return attachment;
  }

  /** The queue of its completions. */
  CompletionQueue completionQueue() {
    return completionQueue;
  }

  /**
   * Posts memory for a message that the peer sends.
   *
   * @param workRequest the program's own number, given back in the completion
   * @param region with {@link Access#LOCAL_WRITE}
   * @param offset in the region
   * @param length the longest message that fits
   * @return false when the receive queue or the session is full: poll first
   */
  @CheckReturnValue
  public boolean postReceive(long workRequest, MemoryRegion region, long offset, long length) {
    return queues.receive(workRequest, region, offset, length);
  }

  /**
   * Posts memory in pieces for a message that the peer sends.
   *
   * @param list one piece at least, in regions with {@link Access#LOCAL_WRITE}
   * @return false when the receive queue or the session is full: poll first
   */
  @CheckReturnValue
  public boolean postReceive(long workRequest, ScatterList list) {
    return queues.receive(workRequest, list);
  }

  /**
   * Sends a message that lies in pieces.
   *
   * @param list one piece at least
   * @param flags {@link SendFlags#SIGNALLED}, {@link SendFlags#FENCED}, {@link SendFlags#SOLICITED}
   * @return false when the send queue or the session is full: poll first
   */
  @CheckReturnValue
  public boolean postSend(long workRequest, ScatterList list, int flags) {
    SubmissionEntry entry = queues.begin(Opcode.SEND, workRequest, flags, list);
    return entry != null && queues.post(entry);
  }

  /**
   * Writes pieces, in their order, into one range of the peer's memory.
   *
   * @param list one piece at least
   * @param flags {@link SendFlags#SIGNALLED}, {@link SendFlags#FENCED}
   * @return false when the send queue or the session is full: poll first
   */
  @CheckReturnValue
  public boolean postWrite(
      long workRequest, ScatterList list, int remoteStag, long remoteTo, int flags) {
    SubmissionEntry entry = queues.begin(Opcode.WRITE, workRequest, flags, list);
    return entry != null && queues.post(entry.remote(remoteStag, remoteTo));
  }

  /** {@link #postSend(long, MemoryRegion, long, long, int)}, signalled. */
  @CheckReturnValue
  public boolean postSend(long workRequest, MemoryRegion region, long offset, long length) {
    return postSend(workRequest, region, offset, length, SendFlags.SIGNALLED);
  }

  /**
   * Sends a message to the peer's next receive.
   *
   * @param workRequest the program's own number, given back in the completion
   * @param offset of the message in the region
   * @param length of the message, 0 to 2^32 - 1
   * @param flags {@link SendFlags#SIGNALLED}, {@link SendFlags#FENCED}, {@link SendFlags#SOLICITED}
   * @return false when the send queue or the session is full: poll first
   */
  @CheckReturnValue
  public boolean postSend(
      long workRequest, MemoryRegion region, long offset, long length, int flags) {
    return postSendInvalidate(workRequest, region, offset, length, 0, flags);
  }

  /**
   * Sends a message as {@link #postSend(long, MemoryRegion, long, long, int)} does, and makes the
   * peer invalidate one of its STags.
   *
   * @param remoteStag of a window, or of a region that the peer has registered for this connection
   *     only; or 0 for none. For any other the peer ends the connection
   */
  @CheckReturnValue
  public boolean postSendInvalidate(
      long workRequest, MemoryRegion region, long offset, long length, int remoteStag, int flags) {
    SubmissionEntry entry = queues.begin(Opcode.SEND, workRequest, flags, region, offset, length);
    return entry != null && queues.post(entry.remote(remoteStag, 0));
  }

  /**
   * Sends a message as {@link #postSend(long, MemoryRegion, long, long, int)} does, with immediate
   * data, which the completion of the peer's receive has ({@link Completion#immediate()}). Only
   * where both ends want that ({@link ConnectionOptions#withSendWithImmediate}, and {@link
   * org.rddp.client.types.StartupTerms#sendWithImmediate} of {@link #startup()} says so); else it
   * completes with {@link org.rddp.client.types.CompletionStatus#LOCAL_OPERATION_ERROR}, or ends
   * the connection if it was posted before that was known.
   *
   * @param immediate the immediate data
   */
  @CheckReturnValue
  public boolean postSendWithImmediate(
      long workRequest, MemoryRegion region, long offset, long length, int immediate, int flags) {
    SubmissionEntry entry =
        queues.begin(Opcode.SEND_WITH_IMMEDIATE, workRequest, flags, region, offset, length);
    return entry != null && queues.post(entry.immediate(Integer.toUnsignedLong(immediate)));
  }

  /**
   * Sends immediate data to the peer's next receive; its completion there has it ({@link
   * Completion#immediate()}). At an rddp peer the receive's memory stays as it was; at others it
   * must have room for eight octets.
   *
   * @param flags {@link SendFlags#SIGNALLED}, {@link SendFlags#FENCED}, {@link SendFlags#SOLICITED}
   * @return false when the send queue or the session is full: poll first
   */
  @CheckReturnValue
  public boolean postImmediate(long workRequest, long immediate, int flags) {
    SubmissionEntry entry = queues.begin(Opcode.IMMEDIATE, workRequest, flags);
    return entry != null && queues.post(entry.immediate(immediate));
  }

  /**
   * Writes into the peer's memory, then sends immediate data as {@link #postImmediate} does: when
   * the peer's program gets it, the octets are in its memory.
   *
   * @param flags {@link SendFlags#SIGNALLED}, {@link SendFlags#FENCED}, {@link SendFlags#SOLICITED}
   * @return false when the send queue or the session is full: poll first
   */
  @CheckReturnValue
  public boolean postWriteImmediate(
      long workRequest,
      MemoryRegion region,
      long offset,
      long length,
      int remoteStag,
      long remoteTo,
      long immediate,
      int flags) {
    SubmissionEntry entry =
        queues.begin(Opcode.WRITE_IMMEDIATE, workRequest, flags, region, offset, length);
    return entry != null && queues.post(entry.remote(remoteStag, remoteTo).immediate(immediate));
  }

  /** Writes pieces, in their order, then sends immediate data. */
  @CheckReturnValue
  public boolean postWriteImmediate(
      long workRequest,
      ScatterList list,
      int remoteStag,
      long remoteTo,
      long immediate,
      int flags) {
    SubmissionEntry entry = queues.begin(Opcode.WRITE_IMMEDIATE, workRequest, flags, list);
    return entry != null && queues.post(entry.remote(remoteStag, remoteTo).immediate(immediate));
  }

  /** Atomic operations on the peer's memory. */
  public Atomics atomics() {
    return atomics;
  }

  /** Requests that block until they have ended, and throw if they fail. */
  public BlockingOperations blocking() {
    return blocking;
  }

  /** Binds windows and invalidates STags of this program. */
  public LocalOperations localOperations() {
    return localOperations;
  }

  /**
   * Sends a short message from any memory, which may be used again when this returns.
   *
   * @param flags {@link SendFlags#SIGNALLED}, {@link SendFlags#FENCED}, {@link SendFlags#SOLICITED}
   * @param length at most {@link SessionLimits#inlineOctets()}
   * @return false when the send queue or the session is full: poll first
   */
  @CheckReturnValue
  public boolean postInlineSend(
      long workRequest, MemorySegment message, long offset, int length, int flags) {
    SubmissionEntry entry =
        queues.beginInline(Opcode.SEND, workRequest, flags, message, offset, length);
    return entry != null && queues.post(entry);
  }

  /** {@link #postWrite(long, MemoryRegion, long, long, int, long, int)}, signalled. */
  @CheckReturnValue
  public boolean postWrite(
      long workRequest,
      MemoryRegion region,
      long offset,
      long length,
      int remoteStag,
      long remoteTo) {
    return postWrite(
        workRequest, region, offset, length, remoteStag, remoteTo, SendFlags.SIGNALLED);
  }

  /**
   * Writes into the peer's memory; the peer's program is not told.
   *
   * @param workRequest the program's own number, given back in the completion
   * @param offset in the region
   * @param length 0 to 2^32 - 1
   * @param remoteStag the peer's region
   * @param remoteTo Tagged Offset there
   * @param flags {@link SendFlags#SIGNALLED}, {@link SendFlags#FENCED}
   * @return false when the send queue or the session is full: poll first
   */
  @CheckReturnValue
  public boolean postWrite(
      long workRequest,
      MemoryRegion region,
      long offset,
      long length,
      int remoteStag,
      long remoteTo,
      int flags) {
    SubmissionEntry entry = queues.begin(Opcode.WRITE, workRequest, flags, region, offset, length);
    return entry != null && queues.post(entry.remote(remoteStag, remoteTo));
  }

  /**
   * Writes a few octets from any memory, which may be used again when this returns.
   *
   * @param flags {@link SendFlags#SIGNALLED}, {@link SendFlags#FENCED}
   * @param length at most {@link SessionLimits#inlineOctets()}
   * @return false when the send queue or the session is full: poll first
   */
  @CheckReturnValue
  public boolean postInlineWrite(
      long workRequest,
      MemorySegment message,
      long offset,
      int length,
      int remoteStag,
      long remoteTo,
      int flags) {
    SubmissionEntry entry =
        queues.beginInline(Opcode.WRITE, workRequest, flags, message, offset, length);
    return entry != null && queues.post(entry.remote(remoteStag, remoteTo));
  }

  /** {@link #postRead(long, MemoryRegion, long, long, int, long, int)}, signalled. */
  @CheckReturnValue
  public boolean postRead(
      long workRequest,
      MemoryRegion region,
      long offset,
      long length,
      int remoteStag,
      long remoteTo) {
    return postRead(workRequest, region, offset, length, remoteStag, remoteTo, SendFlags.SIGNALLED);
  }

  /**
   * Reads the peer's memory without the peer's program. Reads are answered in the order of their
   * posts. At most {@link StartupTerms#ord} are outstanding at a time; further ones wait, and so do
   * requests posted behind them. The octets go to one range: there is no read into a {@link
   * ScatterList} ({@code max_sge_rd} is 1, as on every iWARP card).
   *
   * @param workRequest the program's own number, given back in the completion
   * @param region destination, with {@link Access#LOCAL_WRITE}
   * @param offset in the region
   * @param length 0 to 2^32 - 1
   * @param remoteStag the peer's region
   * @param remoteTo Tagged Offset there
   * @param flags {@link SendFlags#SIGNALLED}, {@link SendFlags#FENCED}
   * @return false when the send queue or the session is full: poll first
   */
  @CheckReturnValue
  public boolean postRead(
      long workRequest,
      MemoryRegion region,
      long offset,
      long length,
      int remoteStag,
      long remoteTo,
      int flags) {
    SubmissionEntry entry = queues.begin(Opcode.READ, workRequest, flags, region, offset, length);
    return entry != null && queues.post(entry.remote(remoteStag, remoteTo));
  }

  /**
   * The queues of a connection that speaks plain DDP; all its requests are posted to them.
   *
   * @throws IllegalStateException if it speaks RDMAP
   */
  public DdpQueues ddp() {
    if (ddp == null) {
      throw new IllegalStateException("the connection speaks RDMAP, as its options say");
    }
    return ddp;
  }

  void retire(PolledCompletion completion) {
    if (ddp == null || !ddp.retire(completion)) {
      queues.retire(completion);
    }
  }

  /** Counts a completion that was read; returns its request's place in its queue. */
  long reported(PolledCompletion completion) {
    return queues.reported(completion);
  }

  long lastPlace(boolean receive) {
    return queues.lastPlace(receive);
  }

  /** Notes that a blocking call gave up: its completion is dropped. */
  void abandon(Awaited request) {
    if (abandoned == null) {
      abandoned = new ArrayList<>();
    }
    abandoned.add(request);
  }

  /** Whether to drop a completion. Call once for each, in order. */
  boolean isUnwanted(Completion completion) {
    return queues.isUnawaited(completion)
        || (abandoned != null && abandoned.removeIf(request -> request.is(completion)));
  }

  /** Whether no completion will report any outstanding request while the connection is open. */
  boolean isMute() {
    return queues.isMute() && (ddp == null || ddp.isIdle());
  }

  /** Whether all its requests have been reported. */
  boolean isIdle() {
    return queues.isIdle() && (ddp == null || ddp.isIdle());
  }

  /** Sends, writes, reads, atomics and local operations posted and not reported yet. */
  public int sendsOutstanding() {
    return queues.sendsOutstanding();
  }

  /** Receives posted and not reported yet. */
  public int receivesOutstanding() {
    return queues.receivesOutstanding();
  }

  /**
   * Waits until a connection of {@link QueuePairNumber#expect} is established.
   *
   * @throws ConnectionFailedException if it fails, or is not established in time: then it goes on
   */
  public void awaitEstablished(Duration timeout) {
    life.awaitEstablished(timeout);
  }

  /** Whether it is established, and has neither failed nor been closed. */
  public boolean isOpen() {
    return life.isOpen();
  }

  /** Whether the peer has closed its half and sends nothing more: {@link #disconnect()} next. */
  public boolean isPeerClosed() {
    return life.isPeerClosed();
  }

  /** This end's address; null before the connection is established. */
  public InetSocketAddress localAddress() {
    return life.localAddress();
  }

  /** The peer's address. */
  public InetSocketAddress remoteAddress() {
    return life.remoteAddress();
  }

  /** The private data of the peer's request or reply. */
  public PrivateData privateData() {
    return life.privateData();
  }

  /**
   * Results of MPA's startup frames: the peer's IRD and ORD, and those in use. Null before the
   * peer's frame arrives.
   */
  public StartupTerms startup() {
    return life.startup();
  }

  /** Why it ended; null before that. */
  public Reason closeReason() {
    return life.closeReason();
  }

  /** The detail of {@link #closeReason}, see {@link Reason}; 0 if there is none. */
  public int closeDetail() {
    return life.closeDetail();
  }

  /** Why it ended, in English; empty before that. */
  public String closeText() {
    return life.closeText();
  }

  /**
   * Why a stream of plain DDP has failed; null before that. A failed stream receives nothing more
   * and all its requests have ended; the program may send one more message, such as the error for
   * the peer. The connection stays until {@link #disconnect} or {@link #abort} (RFC 5041 sections
   * 6.2.2 and 7.1). RDMAP ends by itself: {@link #closeReason}.
   */
  public StreamError streamError() {
    return life.streamError();
  }

  /**
   * Ends the connection gracefully: sends what was posted, flushes receives. Returns at once;
   * {@link #awaitClosed} waits for the end. Held messages ({@link ConnectionOptions#heldOctets})
   * wait ten seconds for a receive, and again after each one that is posted; messages still held
   * then are lost, and the reason of the end is {@link Reason#LOCAL_ABORT}.
   */
  public void disconnect() {
    end.request(true);
  }

  /** Ends the connection at once, with a reset; flushes outstanding requests. */
  public void abort() {
    end.request(false);
  }

  /**
   * Waits until the connection has ended.
   *
   * @return false at the timeout
   */
  @CheckReturnValue
  public boolean awaitClosed(Duration timeout) {
    return life.awaitClosed(timeout);
  }

  /**
   * Ends the connection: gracefully if the peer answers within two seconds, otherwise with a reset.
   * Flushed requests can still be polled; {@link #closeAndDrain} passes them. Never throws.
   */
  @Override
  public void close() {
    end.close();
  }

  /**
   * Ends the connection as {@link #close()} does, without blocking the caller.
   *
   * @return completed when the connection has ended, never with an exception, on a thread of {@link
   *     CompletableFuture}'s default executor. Flushed requests can still be polled
   */
  public CompletionStage<Void> closeAsync() {
    return end.closeAsync();
  }

  /**
   * Ends the connection as {@link #close()} does, and passes all its remaining completions to the
   * handler: when this returns, every request has completed, so its memory may be closed or reused.
   * Completions of other connections are kept for the next poll. For the thread that polls; a
   * handler of completions may call it, too. The handler may not post to this connection.
   *
   * @return number of completions passed
   * @throws SessionLostException if the session is lost before all requests have completed
   */
  public int closeAndDrain(CompletionHandler handler) {
    close();
    queues.drain(true);
    try {
      return session.completions().drain(this, handler);
    } finally {
      queues.drain(false);
    }
  }

  /** Ends the connection with its daemon: later posts throw. */
  void onDaemonLost(List<LostRequest> requests) {
    queues.release();
    queues.addLost(this, requests);
  }

  /** Refuses a request about a connection that has ended, whose number may be in use again. */
  void checkNotEnded() {
    if (life.isClosed()) {
      throw new ConnectionFailedException(
          life.remoteAddress(), life.closeReason(), life.closeDetail(), life.closeText());
    }
  }

  ConnectionState state() {
    return life;
  }

  @Override
  public String toString() {
    return "connection %08x to %s, %s".formatted(id, InetAddresses.text(remoteAddress()), life);
  }
}
