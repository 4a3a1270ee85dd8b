package org.rddp.ddp.memory;

/**
 * A memory window: opens a part of a region to one stream's peer for a while, under another STag
 * each time (RFC 5040 section 2.1 has the word; the rules are those of verbs' type 2 windows).
 *
 * <p>The STag of the next {@link #bind} is known, and nobody else's, before: it can be written into
 * a message for the peer that is posted behind the bind. A window that is bound cannot be bound
 * anew before its STag has been invalidated, by this end or by the peer. Engine thread only.
 */
public final class DdpMemoryWindow {
  private final TaggedBuffers table;

  /** Has an STag and names nothing yet. */
  private TaggedBuffer next;

  /** What it was bound as the last time; out of the table, once that has been seen to end. */
  private TaggedBuffer last;

  DdpMemoryWindow(TaggedBuffers table, TaggedBuffer next, TaggedBuffer last) {
    this.table = table;
    this.next = next;
    this.last = last;
  }

  /** The STag that it has once it is bound the next time. */
  public int nextStag() {
    return next.stag();
  }

  /** Whether its last STag still opens something. */
  public boolean isBound() {
    return last.valid();
  }

  /** Whether it is bound to that region. */
  public boolean isBoundTo(TaggedBuffer region) {
    return last.valid() && last.region() == region;
  }

  /**
   * Binds it: its next STag names the part from now on.
   *
   * @param region with {@link AccessRights#BIND}, and no window itself
   * @param stream of the region's domain, the only one that may use it
   * @param to Tagged Offset of the first octet in the region
   * @param length in octets, greater than 0
   * @param baseTo Tagged Offset of the first octet in the window, unsigned
   * @param rights of {@link AccessRights}, only remote ones; writing needs the region's {@link
   *     AccessRights#LOCAL_WRITE}
   * @return false, and nothing has changed, if it is bound, the region may not be bound so, the
   *     window would leave it, or the table of STags is full
   */
  public boolean bind(
      TaggedBuffer region, DomainMember stream, long to, long length, long baseTo, int rights) {
    if (isBound()
        || region.domain() != next.domain()
        || !TaggedBuffers.mayBind(region, stream, to, length, baseTo, rights)) {
      return false;
    }
    table.invalidate(last); // one whose region is gone still has its place
    if (!table.reserve(last)) {
      return false;
    }
    TaggedBuffer bound = next;
    next = last;
    last = bound;
    bound.open(region, stream, to, length, baseTo, rights);
    return true;
  }

  /** The stream is gone: nobody can invalidate on it what is bound to it. */
  @SuppressWarnings("ReferenceEquality") // streams are compared by identity
  public void release(DomainMember stream) {
    if (last.stream() == stream) {
      table.invalidate(last);
    }
  }

  /** Ends it: nothing is placed or read through it once this returns. Not to be used after it. */
  public void free() {
    table.invalidate(last);
    table.invalidate(next);
  }
}
