package org.rddp.ddp.memory;

import java.util.List;
import org.rddp.snapshot.Snapshot;

/**
 * A memory window: grants access to a part of a region under an STag of its own (the term is from
 * RFC 5040 section 2.1; the rules are those of verbs).
 *
 * <p>The STag of the next {@link #bind} is known in advance, so a message posted after the bind can
 * carry it to the peer. Engine thread only.
 */
public abstract sealed class DdpMemoryWindow permits RenamedMemoryWindow, KeyedMemoryWindow {
  /** The STag that the next bind will use, unless it names a key. */
  public abstract int nextStag();

  /** The buffer of the last bind. */
  abstract TaggedBuffer last();

  /** All of its buffers. */
  abstract List<TaggedBuffer> buffers();

  /** Whether the last bind is still valid. */
  public final boolean isBound() {
    return last().valid();
  }

  /** Whether it is bound to {@code region}. */
  @SuppressWarnings("ReferenceEquality") // regions are compared by identity
  public final boolean isBoundTo(TaggedBuffer region) {
    return last().valid() && last().region() == region;
  }

  /**
   * Binds the window: its STag now names the part of the region.
   *
   * @param region with {@link AccessRights#MW_BIND}, and no window itself
   * @param stream of the region's domain, which carries out the bind
   * @param to Tagged Offset of the first octet in the region
   * @param length in octets, greater than 0
   * @param baseTo Tagged Offset of the first octet in the window, unsigned
   * @param rights bits of {@link AccessRights}, remote ones only; remote writes and atomics need
   *     the region's {@link AccessRights#LOCAL_WRITE}
   * @param key the last octet of the STag, for a window whose program chooses it; otherwise 0
   * @return false, with no effect, if the window may not be bound now, the region does not allow
   *     the binding, the window would exceed the region, or the table of STags is full
   */
  public abstract boolean bind(
      TaggedBuffer region,
      DomainMember stream,
      long to,
      long length,
      long baseTo,
      int rights,
      int key);

  /** Ends a binding to a stream that has closed, since its peer can no longer invalidate it. */
  public abstract void release(DomainMember stream);

  /**
   * Frees the window: nothing is placed or read through it after this returns. It must not be used
   * again.
   */
  public abstract void free();

  /**
   * Transfers a window.
   *
   * @param table of its STag
   * @param written the window; null if it is read
   */
  static DdpMemoryWindow transfer(
      Snapshot snapshot, TaggedBuffers table, DdpReferences references, DdpMemoryWindow written) {
    snapshot.begin(DdpMemoryWindow.class);
    boolean isKeyed = snapshot.flag("isKeyed", written instanceof KeyedMemoryWindow);
    DdpMemoryWindow window =
        isKeyed
            ? KeyedMemoryWindow.transfer(snapshot, table, references, (KeyedMemoryWindow) written)
            : RenamedMemoryWindow.transfer(
                snapshot, table, references, (RenamedMemoryWindow) written);
    snapshot.end();
    return window;
  }
}
