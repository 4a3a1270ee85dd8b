package org.rddp.ddp.memory;

/**
 * A memory window: grants one stream's peer access to a part of a region, under a new STag at each
 * bind (the term is from RFC 5040 section 2.1; the rules are those of type 2 windows in verbs).
 *
 * <p>The STag of the next {@link #bind} is reserved in advance, so a message posted after the bind
 * can carry it to the peer. A bound window cannot be bound again before its STag has been
 * invalidated, by this end or by the peer. Engine thread only.
 */
public final class DdpMemoryWindow {
  private final TaggedBuffers table;

  /** The buffer with the reserved STag of the next bind. */
  private TaggedBuffer next;

  /** The buffer of the last bind; removed from the table once its end has been noticed. */
  private TaggedBuffer last;

  DdpMemoryWindow(TaggedBuffers table, TaggedBuffer next, TaggedBuffer last) {
    this.table = table;
    this.next = next;
    this.last = last;
  }

  /** The STag that the next bind will use. */
  public int nextStag() {
    return next.stag();
  }

  /** Whether the last bind is still valid. */
  public boolean isBound() {
    return last.valid();
  }

  /** Whether it is bound to {@code region}. */
  public boolean isBoundTo(TaggedBuffer region) {
    return last.valid() && last.region() == region;
  }

  /**
   * Binds the window: {@link #nextStag()} names the part of the region from now on.
   *
   * @param region with {@link AccessRights#BIND}, and no window itself
   * @param stream of the region's domain, the only one that may use it
   * @param to Tagged Offset of the first octet in the region
   * @param length in octets, greater than 0
   * @param baseTo Tagged Offset of the first octet in the window, unsigned
   * @param rights bits of {@link AccessRights}, remote ones only; remote writes and atomics need
   *     the region's {@link AccessRights#LOCAL_WRITE}
   * @return false, with no effect, if the window is bound, the region does not allow the binding,
   *     the window would exceed the region, or the table of STags is full
   */
  public boolean bind(
      TaggedBuffer region, DomainMember stream, long to, long length, long baseTo, int rights) {
    if (isBound()
        || region.domain() != next.domain()
        || !TaggedBuffers.mayBind(region, stream, to, length, baseTo, rights)) {
      return false;
    }
    table.invalidate(last); // an STag whose region was invalidated still has its entry
    if (!table.reserve(last)) {
      return false;
    }
    TaggedBuffer bound = next;
    next = last;
    last = bound;
    bound.open(region, stream, to, length, baseTo, rights);
    return true;
  }

  /** Ends a binding to a stream that has closed, since its peer can no longer invalidate it. */
  @SuppressWarnings("ReferenceEquality") // streams are compared by identity
  public void release(DomainMember stream) {
    if (last.stream() == stream) {
      table.invalidate(last);
    }
  }

  /**
   * Frees the window: nothing is placed or read through it after this returns. It must not be used
   * again.
   */
  public void free() {
    table.invalidate(last);
    table.invalidate(next);
  }
}
