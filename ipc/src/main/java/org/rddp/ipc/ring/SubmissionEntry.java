package org.rddp.ipc.ring;

import java.lang.foreign.MemorySegment;
import org.rddp.client.types.RequestForm;

/**
 * A work request that a program writes into the submission ring: a flyweight over the slots that
 * {@link ProgramRings#claim} has found free. {@link WorkRequest} has the layout.
 *
 * <p>Call {@link #begin}, the setters that the opcode needs, then {@link #submit}. Fields of the
 * first slot that are not set are zero. One thread; allocates nothing.
 */
public final class SubmissionEntry {
  private final ProgramRings rings;
  private final MemorySegment memory;
  private final int ringSlots;
  private long position;
  private int slots;

  /** Offset of the first slot in the memory. */
  private long first;

  SubmissionEntry(ProgramRings rings, MemorySegment memory, int ringSlots) {
    this.rings = rings;
    this.memory = memory;
    this.ringSlots = ringSlots;
  }

  /** Moves to the slots from a position of the ring on. */
  void wrap(long position, int slots) {
    this.position = position;
    this.slots = slots;
    first = RingLayout.submissionSlot(position, ringSlots);
  }

  /**
   * Writes the fields of every request.
   *
   * @param opcode one of {@link org.rddp.client.types.Opcode}
   * @param flags of {@link org.rddp.client.types.SendFlags}; {@link #inline} and {@link
   *     #memory(StagPieces)} add their own
   * @param id the program's own number, given back in the completion
   * @param connection its number, or 0 for a receive of a shared receive queue
   */
  public SubmissionEntry begin(int opcode, int flags, long id, int connection) {
    RingLayout.putInt(
        memory, first + WorkRequest.OPCODE, WorkRequest.opcodeWord(opcode, flags, slots));
    RingLayout.putLong(memory, first + WorkRequest.ID, id);
    RingLayout.putInt(memory, first + WorkRequest.CONNECTION, connection);
    memory(0, 0, 0);
    remote(0, 0);
    queue(0);
    immediate(0);
    return this;
  }

  /**
   * Sets the range of a region that the message lies in.
   *
   * @param offset in the region
   * @param length octets, 0 to {@link RequestForm#MAX_LENGTH}; more for a {@link
   *     org.rddp.client.types.Opcode#BIND}
   */
  public SubmissionEntry memory(int stag, long offset, long length) {
    RingLayout.putInt(memory, first + WorkRequest.LOCAL_STAG, stag);
    RingLayout.putLong(memory, first + WorkRequest.LOCAL_OFFSET, offset);
    RingLayout.putLong(memory, first + WorkRequest.LENGTH, length);
    return this;
  }

  /**
   * Sets the pieces that the message lies in; the entry has {@link StagPieces#slots()}. One piece
   * is a region.
   */
  public SubmissionEntry memory(StagPieces pieces) {
    int count = pieces.count();
    checkSlots(pieces.slots());
    if (count == 1) {
      return memory(pieces.stag(0), pieces.offset(0), pieces.length(0));
    }
    clearFurther();
    for (int i = 0; i < count; i++) {
      long at = further(WorkRequest.pieceSlot(i)) + WorkRequest.pieceAt(i);
      RingLayout.putInt(memory, at, pieces.stag(i));
      RingLayout.putInt(memory, at + 4, 0);
      RingLayout.putLong(memory, at + WorkRequest.PIECE_OFFSET, pieces.offset(i));
      RingLayout.putLong(memory, at + WorkRequest.PIECE_LENGTH, pieces.length(i));
    }
    addToWord(RequestForm.LIST << 8 | count << 24);
    return memory(0, 0, pieces.length());
  }

  /**
   * Copies the message into the entry, which has {@link WorkRequest#slotsForInline}.
   *
   * @param from where the message lies
   * @param length octets, 0 to {@link WorkRequest#MAX_INLINE}
   */
  public SubmissionEntry inline(MemorySegment from, long offset, int length) {
    checkSlots(WorkRequest.slotsForInline(length));
    clearFurther();
    int copied = 0;
    for (int i = 1; i < slots; i++) {
      int octets = Math.min(WorkRequest.DATA_OCTETS, length - copied);
      MemorySegment.copy(from, offset + copied, memory, further(i), octets);
      copied += octets;
    }
    addToWord(RequestForm.INLINE << 8);
    return memory(0, 0, length);
  }

  /**
   * Sets STag and Tagged Offset at the peer. For some opcodes these words have another meaning, see
   * {@link WorkRequest}.
   */
  public SubmissionEntry remote(int stag, long to) {
    RingLayout.putInt(memory, first + WorkRequest.OBJECT, stag);
    RingLayout.putLong(memory, first + WorkRequest.REMOTE_TO, to);
    return this;
  }

  /** Plain DDP: the Queue Number. */
  public SubmissionEntry queue(int qn) {
    RingLayout.putInt(memory, first + WorkRequest.QN, qn);
    return this;
  }

  /** Immediate data; of plain DDP the RsvdULP. */
  public SubmissionEntry immediate(long data) {
    RingLayout.putLong(memory, first + WorkRequest.IMMEDIATE, data);
    return this;
  }

  /** The operands of an atomic; the entry has {@link WorkRequest#ATOMIC_SLOTS}. */
  public SubmissionEntry operands(long operand, long mask, long compare, long compareMask) {
    checkSlots(WorkRequest.ATOMIC_SLOTS);
    clearFurther();
    long at = further(1);
    RingLayout.putLong(memory, at, operand);
    RingLayout.putLong(memory, at + 8, mask);
    RingLayout.putLong(memory, at + 16, compare);
    RingLayout.putLong(memory, at + 24, compareMask);
    return this;
  }

  /** Hands the request to the daemon; returns true. */
  public boolean submit() {
    rings.submit(slots);
    return true;
  }

  private void checkSlots(int needed) {
    if (slots != needed) {
      throw new IllegalArgumentException("%d slots claimed, %d needed".formatted(slots, needed));
    }
  }

  /** Clears the state words: data of the previous lap must not look like that of a later entry. */
  private void clearFurther() {
    for (int i = 1; i < slots; i++) {
      RingLayout.putLong(memory, further(i) - WorkRequest.DATA, 0);
    }
  }

  /** Offset of the data of a further slot in the memory. */
  private long further(int number) {
    return RingLayout.submissionSlot(position + number, ringSlots) + WorkRequest.DATA;
  }

  private void addToWord(int bits) {
    long at = first + WorkRequest.OPCODE;
    RingLayout.putInt(memory, at, RingLayout.getInt(memory, at) | bits);
  }
}
