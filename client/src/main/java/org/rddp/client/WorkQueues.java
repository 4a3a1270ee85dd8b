package org.rddp.client;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.rddp.client.types.Access;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.RequestForm;
import org.rddp.client.types.SendFlags;
import org.rddp.client.types.SessionLimits;
import org.rddp.ipc.ring.PolledCompletion;
import org.rddp.ipc.ring.SubmissionEntry;
import org.rddp.ipc.ring.WorkRequest;

/**
 * The send queue and the receive queue of a connection: checks requests, counts those outstanding,
 * and writes them into the session's rings. For one thread at a time.
 */
final class WorkQueues {
  static final int FLAGS = SendFlags.SIGNALLED | SendFlags.FENCED;
  private static final int SEND_FLAGS = FLAGS | SendFlags.SOLICITED;

  private final Rddp session;
  private final Connection connection;
  private final SessionLimits limits;
  private final boolean rdmap;
  private volatile boolean shared;
  private int sendsOutstanding;
  private int receivesOutstanding;

  /** Requests of the send queue posted since the last signalled one. */
  private int unsignalled;

  private int lastFlags;

  /** Requests posted and requests reported, of each queue since its start. */
  private long sendsPosted;

  private long receivesPosted;
  private long sendsReported;
  private long receivesReported;
  private boolean draining;

  /** Whether the connection has ended with its daemon. */
  private volatile boolean released;

  /** Null unless the session may lose its daemon and go on. */
  private final RequestNumbers sends;

  private final RequestNumbers receives;

  /** Places of requests that no call awaits, whose completions are dropped. */
  private RequestNumbers unawaited;

  /** The number of the request that is begun. */
  private long begun;

  /**
   * Creates empty queues.
   *
   * @param limits of the daemon that has the connection
   * @param rdmap whether the connection speaks RDMAP; if not, only {@link DdpQueues} posts
   * @param shared whether its receives are posted to a shared queue
   */
  WorkQueues(Connection connection, SessionLimits limits, boolean rdmap, boolean shared) {
    session = connection.session();
    this.connection = connection;
    this.rdmap = rdmap;
    this.shared = shared;
    this.limits = limits;
    sends = session.daemon().isReconnecting() ? new RequestNumbers() : null;
    receives = session.daemon().isReconnecting() ? new RequestNumbers() : null;
  }

  /** Switches to a shared receive queue. */
  void share() {
    shared = true;
  }

  int sendsOutstanding() {
    return sendsOutstanding;
  }

  int receivesOutstanding() {
    return receivesOutstanding;
  }

  /** Whether no completion will report any outstanding request while the connection is open. */
  boolean isMute() {
    return sendsOutstanding == unsignalled && receivesOutstanding == 0;
  }

  boolean isIdle() {
    return sendsOutstanding == 0 && receivesOutstanding == 0;
  }

  /** Forbids posts: the next daemon may give the number to another connection. */
  void release() {
    released = true;
  }

  /** Forbids posts while a handler gets the remaining completions. */
  void drain(boolean begins) {
    draining = begins;
  }

  /** The place of the request posted last to the send queue, or to the receive queue. */
  long lastPlace(boolean receive) {
    return receive ? receivesPosted : sendsPosted;
  }

  /** Counts a completion read from the ring; returns the place of its request. */
  long reported(PolledCompletion completion) {
    forget(completion);
    int retired = completion.retired();
    if (completion.opcode() == Opcode.RECEIVE) {
      receivesReported += retired;
      return receivesReported;
    }
    sendsReported += retired;
    return sendsReported;
  }

  /** Gives memory to a message that the peer will send. */
  boolean receive(long id, MemoryRegion region, long offset, long length) {
    checkNotShared();
    checkRdmap();
    checkMemory(region, offset, length);
    checkWritable(region.rights(), "a receive");
    SubmissionEntry entry = claimReceive(1);
    return entry != null
        && received(begin(entry, Opcode.RECEIVE, 0, id).memory(region.stag(), offset, length));
  }

  /** Posts a scattered receive. */
  boolean receive(long id, ScatterList list) {
    checkNotShared();
    checkRdmap();
    checkMemory(list);
    checkWritable(list.rights(), "a receive");
    SubmissionEntry entry = claimReceive(list.pieces().slots());
    return entry != null && received(begin(entry, Opcode.RECEIVE, 0, id).memory(list.pieces()));
  }

  private void checkNotShared() {
    if (shared) {
      throw new IllegalStateException(
          "the connection takes its receives from a shared queue: post them there");
    }
  }

  private SubmissionEntry claimReceive(int slots) {
    return receivesOutstanding < limits.receiveQueue() ? session.rings().claim(slots) : null;
  }

  private boolean received(SubmissionEntry entry) {
    receivesOutstanding++;
    receivesPosted++;
    submitReceive(entry);
    return true;
  }

  /** Submits a receive or a notice that was begun here and is counted already. */
  void submitReceive(SubmissionEntry entry) {
    if (receives != null) {
      receives.add(begun);
    }
    submit(entry);
  }

  /**
   * Submits a request that is counted already: the daemon may report it, and reuse the connection's
   * number, before this returns. The completion must find this connection, so it is kept if it has
   * ended.
   */
  private void submit(SubmissionEntry entry) {
    entry.submit();
    if (connection.state().isClosed()) {
      session.daemon().connections().keep(connection);
    }
  }

  /**
   * Begins a request about a region; {@link #post} follows.
   *
   * @return null when the queue or the session is full
   */
  SubmissionEntry begin(
      int opcode, long id, int flags, MemoryRegion region, long offset, long length) {
    checkRdmap();
    checkMemory(region, offset, length);
    checkFlags(flags, allowed(opcode));
    if (opcode == Opcode.READ) {
      checkWritable(region.rights(), "a read");
    }
    SubmissionEntry entry = claim(1);
    return entry == null
        ? null
        : begin(entry, opcode, flags, id).memory(region.stag(), offset, length);
  }

  /** Begins a request about memory in pieces. */
  SubmissionEntry begin(int opcode, long id, int flags, ScatterList list) {
    checkRdmap();
    checkMemory(list);
    checkFlags(flags, allowed(opcode));
    SubmissionEntry entry = claim(list.pieces().slots());
    return entry == null ? null : begin(entry, opcode, flags, id).memory(list.pieces());
  }

  /** Begins a request that carries its message. */
  SubmissionEntry beginInline(
      int opcode, long id, int flags, MemorySegment message, long offset, int length) {
    checkRdmap();
    checkFlags(flags, allowed(opcode));
    checkInline(length);
    SubmissionEntry entry = claim(WorkRequest.slotsForInline(length));
    return entry == null ? null : begin(entry, opcode, flags, id).inline(message, offset, length);
  }

  /** Posts a short send that no call awaits; false if the caller must post it as usual. */
  boolean postUnawaitedSend(MemoryRegion region, long offset, long length) {
    SubmissionEntry entry = beginUnawaited(Opcode.SEND, region, offset, length);
    return entry != null && postUnawaited(entry);
  }

  /** Posts a short Write that no call awaits; false if the caller must post it as usual. */
  boolean postUnawaitedWrite(
      MemoryRegion region, long offset, long length, int remoteStag, long remoteTo) {
    SubmissionEntry entry = beginUnawaited(Opcode.WRITE, region, offset, length);
    return entry != null && postUnawaited(entry.remote(remoteStag, remoteTo));
  }

  private SubmissionEntry beginUnawaited(
      int opcode, MemoryRegion region, long offset, long length) {
    checkMemory(region, offset, length);
    return mayPostUnawaited(region, length)
        ? beginInline(opcode, 0, 0, region.segment(), offset, (int) length)
        : null;
  }

  /** Keeps most of the room of queue and session for requests that are reported. */
  private boolean mayPostUnawaited(MemoryRegion region, long length) {
    return length <= limits.inlineOctets()
        && region.hasSegment()
        && connection.isOpen()
        && unsignalled < limits.sendQueue() / 4
        && session.rings().outstanding() < session.rings().capacity() / 2;
  }

  private boolean postUnawaited(SubmissionEntry entry) {
    if (unawaited == null) {
      unawaited = new RequestNumbers();
    }
    unawaited.add(sendsPosted + 1);
    return post(entry);
  }

  /** Whether a completion is of a request that no call awaits. Forgets those before it. */
  boolean isUnawaited(Completion completion) {
    return unawaited != null
        && !isReceive(completion.opcode())
        && unawaited.removeUpTo(completion.place());
  }

  /** Begins an atomic. */
  SubmissionEntry beginAtomic(int opcode, long id, int flags, MemoryRegion region, long offset) {
    checkRdmap();
    checkMemory(region, offset, RequestForm.ATOMIC_OCTETS);
    checkFlags(flags, FLAGS);
    checkWritable(region.rights(), "an atomic");
    SubmissionEntry entry = claim(WorkRequest.ATOMIC_SLOTS);
    return entry == null
        ? null
        : begin(entry, opcode, flags, id).memory(region.stag(), offset, RequestForm.ATOMIC_OCTETS);
  }

  /** Begins a request without a message. */
  SubmissionEntry begin(int opcode, long id, int flags) {
    checkRdmap();
    checkFlags(flags, allowed(opcode));
    SubmissionEntry entry = claim(1);
    return entry == null ? null : begin(entry, opcode, flags, id);
  }

  /** Writes the fields of every request of this connection. */
  SubmissionEntry begin(SubmissionEntry entry, int opcode, int flags, long id) {
    begun = id;
    // A bind is always reported.
    lastFlags = opcode == Opcode.BIND ? flags | SendFlags.SIGNALLED : flags;
    return entry.begin(opcode, flags, id, connection.id());
  }

  /** Submits a request of the send queue; always true. */
  boolean post(SubmissionEntry entry) {
    if (sends != null) {
      sends.add(begun);
    }
    sendsOutstanding++;
    sendsPosted++;
    unsignalled = (lastFlags & SendFlags.SIGNALLED) == 0 ? unsignalled + 1 : 0;
    submit(entry);
    return true;
  }

  Rddp session() {
    return session;
  }

  /**
   * Claims an entry of the send queue; null when the queue or the session is full.
   *
   * @throws IllegalStateException if it will stay full, since no completion will come
   */
  SubmissionEntry claim(int slots) {
    SubmissionEntry entry =
        sendsOutstanding < limits.sendQueue() ? session.rings().claim(slots) : null;
    if (entry == null && sendsOutstanding == unsignalled && connection.isOpen()) {
      throwIfFullForEver();
    }
    return entry;
  }

  private void throwIfFullForEver() {
    boolean full = sendsOutstanding >= limits.sendQueue();
    if (session.completions().isEmpty() && (full || session.completions().isMute())) {
      throw new IllegalStateException(
          "%s is full of unsignalled requests (%d on this connection), which no completion will"
                  .formatted(full ? "the send queue" : "the session", sendsOutstanding)
              + " report: give one in every %d SendFlags.SIGNALLED"
                  .formatted(Math.max(1, limits.sendQueue() / 2)));
    }
  }

  private static boolean isReceive(int opcode) {
    RequestForm form = RequestForm.of(opcode);
    return form != null && form.queue() != RequestForm.Queue.SEND;
  }

  /** Forgets the numbers of requests that a completion has reported. */
  private void forget(PolledCompletion completion) {
    if (sends == null || completion.receiveQueue() != 0) {
      return;
    }
    if (isReceive(completion.opcode())) {
      receives.remove(completion.id());
    } else {
      sends.removeFirst(completion.retired());
    }
  }

  /** Adds the unreported requests; only in a session with a {@link Reconnect}. */
  void addLost(Connection of, List<LostRequest> lost) {
    sends.forEach(number -> lost.add(new LostRequest(of, null, false, number)));
    receives.forEach(number -> lost.add(new LostRequest(of, null, true, number)));
  }

  /** Handles a polled completion. */
  void retire(PolledCompletion completion) {
    if (completion.receiveQueue() != 0) {
      return;
    }
    if (completion.opcode() == Opcode.RECEIVE) {
      receivesOutstanding -= completion.retired();
    } else {
      sendsOutstanding -= completion.retired();
    }
  }

  /** The flags of an opcode: only messages that complete a receive of the peer can be solicited. */
  private static int allowed(int opcode) {
    return RequestForm.of(opcode).flags() & SEND_FLAGS;
  }

  void checkInline(int length) {
    if (length < 0 || length > limits.inlineOctets()) {
      throw new IllegalArgumentException(
          "inline message of " + length + " octets, at most " + limits.inlineOctets());
    }
  }

  void checkMemory(MemoryRegion region, long offset, long length) {
    checkMemory(session, region, offset, length);
  }

  static void checkMemory(Rddp session, MemoryRegion region, long offset, long length) {
    region.check(session, offset, length);
    if (length > RequestForm.MAX_LENGTH) {
      throw new IllegalArgumentException(
          "a message of " + length + " octets, at most " + RequestForm.MAX_LENGTH);
    }
  }

  void checkMemory(ScatterList list) {
    checkMemory(session, list);
  }

  static void checkMemory(Rddp session, ScatterList list) {
    if (list.session() != session) {
      throw new IllegalArgumentException(
          list.session() == null
              ? "a list without pieces: add one at least"
              : "the memory regions belong to another session");
    }
  }

  static void checkWritable(int rights, String what) {
    if (!Access.LOCAL_WRITE.isIn(rights)) {
      throw new IllegalArgumentException(what + " needs a region with LOCAL_WRITE");
    }
  }

  static void checkFlags(int flags, int allowed) {
    if ((flags & ~allowed) != 0) {
      throw new IllegalArgumentException(
          "a work request of this kind has no flag %s; it may have %s"
              .formatted(WorkRequest.flagNames(flags & ~allowed), WorkRequest.flagNames(allowed)));
    }
  }

  void checkRdmap() {
    checkOpen();
    if (!rdmap) {
      throw new IllegalStateException("the connection speaks plain DDP: post to its ddp()");
    }
  }

  /** Checks that the session is open and the connection is not being drained. */
  void checkOpen() {
    session.daemon().throwIfUnusable();
    session.completions().checkThread();
    if (draining) {
      throw new IllegalStateException("a handler of closeAndDrain may not post to the connection");
    }
    if (released) {
      throw new IllegalStateException("the connection has ended with its daemon");
    }
  }
}
