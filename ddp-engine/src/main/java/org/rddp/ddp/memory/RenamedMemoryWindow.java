package org.rddp.ddp.memory;

import java.util.List;
import org.rddp.snapshot.Snapshot;

/**
 * A window for one stream's peer that gets a new STag, all 32 bits random, at each bind.
 *
 * <p>The STag of the next bind is reserved in advance. A bound window cannot be bound again before
 * its STag has been invalidated, by this end or by the peer.
 */
final class RenamedMemoryWindow extends DdpMemoryWindow {
  private final TaggedBuffers table;

  /** The buffer with the reserved STag of the next bind. */
  private TaggedBuffer next;

  /** The buffer of the last bind; removed from the table when it is found to be invalid. */
  private TaggedBuffer last;

  RenamedMemoryWindow(TaggedBuffers table, TaggedBuffer next, TaggedBuffer last) {
    this.table = table;
    this.next = next;
    this.last = last;
  }

  @Override
  public int nextStag() {
    return next.stag();
  }

  @Override
  TaggedBuffer last() {
    return last;
  }

  @Override
  List<TaggedBuffer> buffers() {
    return List.of(next, last);
  }

  @Override
  public boolean bind(
      TaggedBuffer region,
      DomainMember stream,
      long to,
      long length,
      long baseTo,
      int rights,
      int key) {
    if (isBound()
        || key != 0
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

  @Override
  @SuppressWarnings("ReferenceEquality") // streams are compared by identity
  public void release(DomainMember stream) {
    if (last.stream() == stream) {
      table.invalidate(last);
    }
  }

  @Override
  public void free() {
    table.invalidate(last);
    table.invalidate(next);
  }

  static RenamedMemoryWindow transfer(
      Snapshot snapshot,
      TaggedBuffers table,
      DdpReferences references,
      RenamedMemoryWindow written) {
    boolean reads = snapshot.reads();
    TaggedBuffer reserved =
        references.bufferOfWindow(snapshot, "next", reads ? null : written.next);
    TaggedBuffer bound = references.bufferOfWindow(snapshot, "last", reads ? null : written.last);
    return reads ? new RenamedMemoryWindow(table, reserved, bound) : written;
  }
}
