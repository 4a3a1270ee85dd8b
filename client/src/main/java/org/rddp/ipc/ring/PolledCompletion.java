package org.rddp.ipc.ring;

import java.lang.foreign.MemorySegment;
import org.rddp.client.types.Completion;
import org.rddp.client.types.Opcode;

/**
 * A completion that is read from its slot of the completion ring, which {@link CompletionEntry}
 * describes. Used by one thread; reused without allocation.
 */
public final class PolledCompletion extends Completion {
  /** A copy of nothing yet. */
  public PolledCompletion() {}

  void read(MemorySegment memory, long slot) {
    int word = RingLayout.getInt(memory, slot + CompletionEntry.OPCODE);
    int flags = word >>> 16 & 0xff;
    opcode = word & 0xff;
    status = word >>> 8 & 0xff;
    hasImmediate = (flags & CompletionEntry.HAS_IMMEDIATE) != 0;
    solicited = (flags & CompletionEntry.SOLICITED) != 0;
    hasInvalidated = (flags & CompletionEntry.HAS_INVALIDATED) != 0;
    stag = RingLayout.getInt(memory, slot + CompletionEntry.STAG);
    object = RingLayout.getInt(memory, slot + CompletionEntry.OBJECT);
    immediate = RingLayout.getLong(memory, slot + CompletionEntry.IMMEDIATE);
    id = RingLayout.getLong(memory, slot + CompletionEntry.ID);
    octets = RingLayout.getLong(memory, slot + CompletionEntry.OCTETS);
    connection = RingLayout.getInt(memory, slot + CompletionEntry.CONNECTION);
    retired = RingLayout.getInt(memory, slot + CompletionEntry.RETIRED);
    detail = RingLayout.getInt(memory, slot + CompletionEntry.DETAIL);
    boolean plain = Opcode.isPlainDdpReceive(opcode);
    rsvdUlp = plain ? RingLayout.getLong(memory, slot + CompletionEntry.RSVD_ULP) : 0;
    qn = plain ? RingLayout.getInt(memory, slot + CompletionEntry.QN) : 0;
    msn = plain ? RingLayout.getInt(memory, slot + CompletionEntry.MSN) : 0;
  }
}
