package org.rddp.client;

import java.lang.foreign.MemorySegment;
import org.rddp.client.types.Access;
import org.rddp.client.types.Completion;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.SessionLimits;
import org.rddp.ipc.ring.ProgramRings;
import org.rddp.ipc.ring.WorkRequest;

/**
 * A connection's two queues: checks what is to be posted, counts what is outstanding, and puts it
 * into the session's rings. Each method that posts says whether there was room; for one thread at a
 * time.
 */
final class WorkQueues {
  private static final int FLAGS = WorkRequest.SIGNALLED | WorkRequest.FENCED;
  private static final int SEND_FLAGS = FLAGS | WorkRequest.SOLICITED;

  private final Rddp session;
  private final int connection;
  private final SessionLimits limits;
  private final boolean rdmap;
  private final boolean shared;
  private int sendsOutstanding;
  private int receivesOutstanding;
  private volatile boolean released;

  /**
   * Empty queues.
   *
   * @param rdmap whether the connection speaks RDMAP; if not, only {@link DdpQueues} posts
   * @param shared whether its receives are posted to a shared queue
   */
  WorkQueues(Rddp session, int connection, boolean rdmap, boolean shared) {
    this.session = session;
    this.connection = connection;
    this.rdmap = rdmap;
    this.shared = shared;
    limits = session.limits();
  }

  int sendsOutstanding() {
    return sendsOutstanding;
  }

  int receivesOutstanding() {
    return receivesOutstanding;
  }

  /** The program has closed the connection: nothing more is posted. */
  void release() {
    released = true;
  }

  boolean receive(long id, MemoryRegion region, long offset, long length) {
    checkNotShared();
    check(region, offset, length);
    checkWritable(region.rights(), "a receive");
    return receivesOutstanding < limits.receiveQueue()
        && received(
            rings().post(Opcode.RECEIVE, 0, id, connection, region.stag(), offset, length, 0, 0));
  }

  boolean receive(long id, ScatterList list) {
    checkNotShared();
    check(list);
    checkWritable(list.rights(), "a receive");
    return receivesOutstanding < limits.receiveQueue()
        && received(rings().postList(Opcode.RECEIVE, 0, id, connection, list.pieces(), 0, 0));
  }

  private void checkNotShared() {
    if (shared) {
      throw new IllegalStateException(
          "the connection takes its receives from a shared queue: post them there");
    }
  }

  private boolean received(boolean posted) {
    receivesOutstanding += posted ? 1 : 0;
    return posted;
  }

  /** A request about a region and, but for sends, about memory of the peer's. */
  boolean send(
      int opcode,
      long id,
      MemoryRegion region,
      long offset,
      long length,
      int remoteStag,
      long remoteTo,
      long immediate,
      int flags) {
    check(region, offset, length);
    checkFlags(flags, allowed(opcode));
    if (opcode == Opcode.READ) {
      checkWritable(region.rights(), "a read");
    }
    return hasRoom()
        && sent(
            rings()
                .post(
                    opcode,
                    flags,
                    id,
                    connection,
                    region.stag(),
                    offset,
                    length,
                    remoteStag,
                    remoteTo,
                    immediate));
  }

  boolean send(int opcode, long id, ScatterList list, int remoteStag, long remoteTo, int flags) {
    return send(opcode, id, list, remoteStag, remoteTo, 0, flags);
  }

  boolean send(
      int opcode,
      long id,
      ScatterList list,
      int remoteStag,
      long remoteTo,
      long immediate,
      int flags) {
    check(list);
    checkFlags(flags, allowed(opcode));
    return hasRoom()
        && sent(
            rings()
                .postList(
                    opcode,
                    flags,
                    id,
                    connection,
                    list.pieces(),
                    remoteStag,
                    0,
                    remoteTo,
                    immediate));
  }

  boolean sendImmediate(long id, long immediate, int flags) {
    checkUsable();
    checkFlags(flags, SEND_FLAGS);
    return hasRoom()
        && sent(
            rings().post(Opcode.SEND_IMMEDIATE, flags, id, connection, 0, 0, 0, 0, 0, immediate));
  }

  boolean sendInline(
      int opcode,
      long id,
      MemorySegment message,
      long offset,
      int length,
      int remoteStag,
      long remoteTo,
      int flags) {
    checkUsable();
    checkFlags(flags, allowed(opcode));
    checkInline(length);
    return hasRoom()
        && sent(
            rings()
                .postInline(
                    opcode, flags, id, connection, message, offset, length, remoteStag, remoteTo));
  }

  /** A request of the program's own memory alone. */
  boolean invalidate(long id, int stag, int flags) {
    checkUsable();
    checkFlags(flags, FLAGS);
    return hasRoom()
        && sent(rings().post(Opcode.INVALIDATE, flags, id, connection, 0, 0, 0, stag, 0));
  }

  boolean bind(
      long id,
      MemoryWindow window,
      MemoryRegion region,
      long offset,
      long length,
      int rights,
      int flags) {
    checkUsable();
    checkFlags(flags, FLAGS);
    window.check(session, region, offset, length, rights);
    return window.isReady()
        && hasRoom()
        && sent(
            rings()
                .post(
                    Opcode.BIND,
                    flags,
                    id,
                    connection,
                    region.stag(),
                    offset,
                    length,
                    window.id(),
                    rights))
        && window.bindPosted();
  }

  boolean atomic(
      int opcode,
      long id,
      MemoryRegion region,
      long offset,
      int remoteStag,
      long remoteTo,
      long operand,
      long mask,
      long compare,
      long compareMask,
      int flags) {
    check(region, offset, WorkRequest.ATOMIC_OCTETS);
    checkFlags(flags, FLAGS);
    checkWritable(region.rights(), "an atomic");
    return hasRoom()
        && sent(
            rings()
                .postAtomic(
                    opcode,
                    flags,
                    id,
                    connection,
                    region.stag(),
                    offset,
                    remoteStag,
                    remoteTo,
                    operand,
                    mask,
                    compare,
                    compareMask));
  }

  ProgramRings rings() {
    return session.rings();
  }

  int connection() {
    return connection;
  }

  /** Whether one more may be sent. */
  boolean hasRoom() {
    return sendsOutstanding < limits.sendQueue();
  }

  /** Counts what is sent, if it has been posted. */
  boolean sent(boolean posted) {
    sendsOutstanding += posted ? 1 : 0;
    return posted;
  }

  /** A completion has been polled. */
  void retire(Completion completion) {
    if (completion.receiveQueue() != 0) {
      return;
    }
    if (completion.opcode() == Opcode.RECEIVE) {
      receivesOutstanding -= completion.retired();
    } else {
      sendsOutstanding -= completion.retired();
    }
  }

  /** Solicited events belong to what completes a receive of the peer's. */
  private static int allowed(int opcode) {
    return switch (opcode) {
      case Opcode.SEND, Opcode.WRITE_IMMEDIATE -> SEND_FLAGS;
      default -> FLAGS;
    };
  }

  private void check(MemoryRegion region, long offset, long length) {
    checkUsable();
    checkMemory(region, offset, length);
  }

  private void check(ScatterList list) {
    checkUsable();
    checkMemory(list);
  }

  /** What plain DDP posts, that it may be posted. */
  void checkMessage(MemoryRegion region, long offset, long length) {
    checkOpen();
    checkMemory(region, offset, length);
  }

  /** The same in pieces. */
  void checkMessage(ScatterList list) {
    checkOpen();
    checkMemory(list);
  }

  void checkInline(int length) {
    if (length < 0 || length > limits.inlineOctets()) {
      throw new IllegalArgumentException(
          "inline message of " + length + " octets, at most " + limits.inlineOctets());
    }
  }

  private void checkMemory(MemoryRegion region, long offset, long length) {
    region.check(session, offset, length);
    if (length > WorkRequest.MAX_LENGTH) {
      throw new IllegalArgumentException(
          "a message of " + length + " octets, at most " + WorkRequest.MAX_LENGTH);
    }
  }

  private void checkMemory(ScatterList list) {
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

  private void checkUsable() {
    checkOpen();
    if (!rdmap) {
      throw new IllegalStateException("the connection speaks plain DDP: post to its ddp()");
    }
  }

  /** The session is there, and the program has not closed the connection. */
  void checkOpen() {
    session.throwIfUnusable();
    if (released) {
      throw new IllegalStateException("the connection was closed by this program");
    }
  }
}
