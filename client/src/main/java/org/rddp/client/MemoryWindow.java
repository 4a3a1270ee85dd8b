package org.rddp.client;

import org.rddp.client.types.Access;
import org.rddp.client.types.WindowKind;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.ring.PolledCompletion;

/**
 * A memory window: a bind opens a part of a region to peers, under its own STag, without a control
 * message. Its {@link WindowKind} says who chooses the STag and who may use it: the peer of the
 * connection that binds it (type 2 in the terms of verbs), or the peers of all connections of its
 * domain (type 1).
 *
 * <p>A window for one peer stays bound until its STag is invalidated, by {@link
 * LocalOperations#postInvalidate} or by the peer (RFC 5040 section 5.3), or until the connection,
 * the window or the session ends; one for all peers until its next bind, or the end of window or
 * session. A region cannot be closed while a window is bound to it; one whose STag is invalidated
 * ends its windows.
 *
 * <p>The posts, {@link #stag()} and {@link Rddp#poll} are for one thread at a time.
 */
public final class MemoryWindow implements AutoCloseable {
  /** The bits of an STag that a bind with a key chooses. */
  private static final int KEY = 0xff;

  private final Rddp session;
  private volatile int id;
  private final WindowKind kind;
  private final int domain;

  /** The STag of the last bind that has not been refused; 0 if there was none. */
  private int stag;

  /** The STag of the bind before the pending one; 0 if there was none. */
  private int stagBefore;

  /** The STag of the next bind; for a window with keys, without the last octet. */
  private int nextStag;

  private long baseTo;
  private long baseToBefore;
  private boolean bindPending;
  private volatile boolean closed;

  MemoryWindow(Rddp session, int id, int nextStag, WindowKind kind, int domain) {
    this.session = session;
    this.id = id;
    this.nextStag = nextStag;
    this.kind = kind;
    this.domain = domain;
  }

  /**
   * The STag of the last posted bind, for the peer. It is known at once, so the message to the peer
   * may be posted directly behind the bind. Once the completion of a refused bind has been polled,
   * this is again the STag of the bind before, under which the window is still bound unless it was
   * invalidated.
   *
   * @throws IllegalStateException if no bind has been posted, or all were refused: the window has
   *     no STag
   */
  public int stag() {
    if (stag == 0) {
      throw new IllegalStateException(
          "the memory window has no STag: no bind of it has been posted that was not refused"
              + " (localOperations().postBind or postKeyedBind)");
    }
    return stag;
  }

  /**
   * The Tagged Offset of the window's first octet, unsigned, as chosen by the bind of {@link
   * #stag()}.
   */
  public long baseTo() {
    return baseTo;
  }

  /** Who chooses its STags, and who may use it. */
  public WindowKind kind() {
    return kind;
  }

  /** Whether it may be bound: the completion of its last bind has been polled. */
  public boolean isReady() {
    return !bindPending;
  }

  int id() {
    return id;
  }

  /**
   * Checks a bind before it is posted.
   *
   * @param keyed whether it names a key
   */
  void check(Rddp user, boolean keyed, MemoryRegion region, long offset, long length, int rights) {
    if (closed) {
      throw new IllegalStateException("the memory window is closed");
    }
    if (user != session) {
      throw new IllegalArgumentException("the memory window belongs to another session");
    }
    if (keyed != (kind != WindowKind.RENAMED)) {
      throw new IllegalArgumentException(
          keyed
              ? "the daemon chooses this window's STags: bind it with postBind"
              : "a bind of a window with keys names one: postKeyedBind");
    }
    region.check(user, offset, length);
    if (length == 0 && kind == WindowKind.TYPE_1) {
      return;
    }
    if (length == 0) {
      throw new IllegalArgumentException("a window of no octets: invalidate its STag instead");
    }
    if (rights == 0) {
      throw new IllegalArgumentException(
          "a window without rights opens nothing: name what the peer may do");
    }
    if (!Access.areRemote(rights)) {
      throw new IllegalArgumentException("a window gives rights to the peer alone");
    }
    if (!Access.MW_BIND.isIn(region.rights())) {
      throw new IllegalArgumentException("a bind needs a region with MW_BIND");
    }
    if (Access.letPeerChange(rights) && !Access.LOCAL_WRITE.isIn(region.rights())) {
      throw new IllegalArgumentException(
          "a window for writes or atomics needs a region with LOCAL_WRITE");
    }
  }

  /** Notes a posted bind of a window without keys. */
  boolean bindPosted() {
    return bindPosted(nextStag, 0);
  }

  /** Notes a posted bind of a window with keys. */
  boolean keyedBindPosted(int key, long to) {
    return bindPosted((nextStag & ~KEY) | key, to);
  }

  private boolean bindPosted(int next, long to) {
    stagBefore = stag;
    baseToBefore = baseTo;
    stag = next;
    baseTo = to;
    bindPending = true;
    return true;
  }

  /** Handles the polled completion of a bind. */
  void bindCompleted(PolledCompletion completion) {
    bindPending = false;
    if (!completion.isSuccess()) {
      stag = stagBefore;
      baseTo = baseToBefore;
    }
    if (completion.windowStag() != 0) {
      nextStag = completion.windowStag();
    }
  }

  /** Allocates the window again, unbound, in another daemon. */
  void restore(ControlChannel channel, NumberedObjects<MemoryWindow> windows) {
    if (closed) {
      return;
    }
    channel.request(
        request -> new ProgramMessage.AllocateWindow(request, kind.code(), domain),
        DaemonMessage.WindowAllocated.class,
        reply -> {
          id = reply.window();
          windows.put(id, this);
          stag = 0;
          baseTo = 0;
          nextStag = reply.stag();
          bindPending = false;
        });
  }

  /**
   * Frees the window, bound or not: when this returns, nothing more is placed or read through it.
   * Does nothing if the session has ended.
   *
   * @throws RefusedException when a bind of it has not completed; close it again when it has
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    try {
      session
          .channel()
          .request(request -> new ProgramMessage.FreeWindow(request, id), DaemonMessage.Done.class);
    } catch (SessionLostException | IllegalStateException sessionEnded) {
      // It has ended with the session.
    }
    closed = true;
    session.forget(this);
  }

  @Override
  public String toString() {
    return "memory window %08x, %s"
        .formatted(id, stag == 0 ? "no STag" : "STag %08x".formatted(stag));
  }
}
