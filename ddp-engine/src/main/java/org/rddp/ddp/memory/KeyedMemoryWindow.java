package org.rddp.ddp.memory;

import java.util.List;
import org.rddp.snapshot.Snapshot;

/**
 * A window of verbs: the upper 24 bits of its STag are constant, and each bind chooses the last
 * octet, the key.
 *
 * <p>A window for one stream (type 2B of verbs) is opened to the peer of the stream that binds it,
 * and must be invalidated before it is bound again. A window for all streams of its domain (type 1)
 * may be bound at any time, which ends the previous binding; it stays bound when streams close.
 */
final class KeyedMemoryWindow extends DdpMemoryWindow {
  private final TaggedBuffers table;
  private final TaggedBuffer buffer;
  private final boolean forAll;

  /**
   * Creates a window that is not bound.
   *
   * @param buffer without memory, whose STag has reserved upper bits
   * @param forAll for all streams of the domain
   */
  KeyedMemoryWindow(TaggedBuffers table, TaggedBuffer buffer, boolean forAll) {
    this.table = table;
    this.buffer = buffer;
    this.forAll = forAll;
  }

  /** The STag with the key after that of the last bind. */
  @Override
  public int nextStag() {
    return TaggedBuffers.withKey(buffer.stag(), buffer.stag() + 1);
  }

  @Override
  TaggedBuffer last() {
    return buffer;
  }

  @Override
  List<TaggedBuffer> buffers() {
    return List.of(buffer);
  }

  /**
   * Binds the window; for a window for all streams {@code length} may be 0, which ends its binding.
   */
  @Override
  public boolean bind(
      TaggedBuffer region,
      DomainMember stream,
      long to,
      long length,
      long baseTo,
      int rights,
      int key) {
    if (forAll && length == 0) {
      table.invalidate(buffer);
      return true;
    }
    boolean allowed =
        (forAll || !isBound())
            && region.domain() == buffer.domain()
            && TaggedBuffers.mayBind(region, stream, to, length, baseTo, rights);
    if (!allowed) {
      return false;
    }
    table.invalidate(buffer);
    if (!table.name(buffer, TaggedBuffers.withKey(buffer.stag(), key))) {
      return false;
    }
    buffer.open(region, forAll ? null : stream, to, length, baseTo, rights);
    return true;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // streams are compared by identity
  public void release(DomainMember stream) {
    if (!forAll && buffer.stream() == stream) {
      table.invalidate(buffer);
    }
  }

  @Override
  public void free() {
    table.invalidate(buffer);
    table.releaseUpperBits(buffer.stag());
  }

  static KeyedMemoryWindow transfer(
      Snapshot snapshot, TaggedBuffers table, DdpReferences references, KeyedMemoryWindow written) {
    boolean reads = snapshot.reads();
    boolean all = snapshot.flag("forAll", !reads && written.forAll);
    TaggedBuffer own = references.bufferOfWindow(snapshot, "buffer", reads ? null : written.buffer);
    if (!reads) {
      return written;
    }
    table.reserveUpperBits(own.stag());
    return new KeyedMemoryWindow(table, own, all);
  }
}
