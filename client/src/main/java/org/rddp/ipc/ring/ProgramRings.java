package org.rddp.ipc.ring;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.rddp.client.types.Completion;

/**
 * The program's end of a session's rings: posts work requests, polls completions.
 *
 * <p>At most as many requests are outstanding (posted, and not retired by a completion that was
 * polled) as the completion ring has slots, so that it cannot overflow.
 *
 * <p>One thread. Allocates nothing, never blocks.
 */
public final class ProgramRings {
  private final MemorySegment memory;
  private final int submissionSlots;
  private final int submissionShift;
  private final int completionSlots;
  private final int completionShift;
  private final long completionBase;

  private long posted;
  private long taken;
  private int outstanding;
  private long read;
  private long published;

  /**
   * Finds the rings in memory that the daemon laid out.
   *
   * @throws IOException when they are not there, or in another layout
   */
  public ProgramRings(MemorySegment memory) throws IOException {
    SharedMemoryHeader.check(memory, RingLayout.MAGIC, RingLayout.VERSION);
    this.memory = memory;
    this.submissionSlots = SharedMemoryHeader.firstParameter(memory);
    this.completionSlots = SharedMemoryHeader.secondParameter(memory);
    try {
      if (RingLayout.octets(submissionSlots, completionSlots) > memory.byteSize()) {
        throw new IOException("the rings' slots exceed their memory");
      }
    } catch (IllegalArgumentException e) {
      throw new IOException(e.getMessage(), e);
    }
    this.submissionShift = Integer.numberOfTrailingZeros(submissionSlots);
    this.completionShift = Integer.numberOfTrailingZeros(completionSlots);
    this.completionBase = RingLayout.SLOTS + (long) RingLayout.SLOT * submissionSlots;
  }

  /**
   * Posts a request whose message lies in a region.
   *
   * @param opcode one of {@link org.rddp.client.types.Opcode}
   * @param flags of {@link WorkRequest}
   * @param id the program's own number, given back in the completion
   * @param length octets, 0 to {@link WorkRequest#MAX_LENGTH}
   * @return false when no slot is free, or too many requests are outstanding: poll first
   */
  public boolean post(
      int opcode,
      int flags,
      long id,
      int connection,
      int localStag,
      long localOffset,
      long length,
      int remoteStag,
      long remoteTo) {
    return post(
        opcode, flags, id, connection, localStag, localOffset, length, remoteStag, remoteTo, 0);
  }

  /**
   * Posts a request whose message lies in a region, with immediate data.
   *
   * @param opcode one of {@link org.rddp.client.types.Opcode}
   * @param flags of {@link WorkRequest}
   * @param immediate 0 unless the opcode sends it
   * @return false when no slot is free, or too many requests are outstanding: poll first
   */
  public boolean post(
      int opcode,
      int flags,
      long id,
      int connection,
      int localStag,
      long localOffset,
      long length,
      int remoteStag,
      long remoteTo,
      long immediate) {
    return post(
        opcode,
        flags,
        id,
        connection,
        localStag,
        localOffset,
        length,
        remoteStag,
        0,
        remoteTo,
        immediate);
  }

  /**
   * Posts a request whose message lies in a region, with what plain DDP has besides.
   *
   * @param opcode one of {@link org.rddp.client.types.Opcode}
   * @param flags of {@link WorkRequest}
   * @param qn Queue Number, 0 unless the opcode has one
   * @param immediate 0 unless the opcode sends it; the RsvdULP of plain DDP
   * @return false when no slot is free, or too many requests are outstanding: poll first
   */
  public boolean post(
      int opcode,
      int flags,
      long id,
      int connection,
      int localStag,
      long localOffset,
      long length,
      int remoteStag,
      int qn,
      long remoteTo,
      long immediate) {
    if (!hasRoom(1)) {
      return false;
    }
    write(
        WorkRequest.opcodeWord(opcode, flags, 1),
        id,
        connection,
        localStag,
        localOffset,
        length,
        remoteStag,
        qn,
        remoteTo,
        immediate);
    release(1);
    return true;
  }

  /**
   * Posts an atomic.
   *
   * @param opcode one of {@link org.rddp.client.types.Opcode#isAtomic}
   * @param flags of {@link WorkRequest}
   * @param localOffset where what was there goes, eight octets
   * @return false when too few slots are free, or too many requests are outstanding: poll first
   */
  public boolean postAtomic(
      int opcode,
      int flags,
      long id,
      int connection,
      int localStag,
      long localOffset,
      int remoteStag,
      long remoteTo,
      long operand,
      long mask,
      long compare,
      long compareMask) {
    if (!hasRoom(WorkRequest.ATOMIC_SLOTS)) {
      return false;
    }
    long slot = submissionSlot(posted + 1);
    RingLayout.putLong(memory, slot, 0);
    RingLayout.putLong(memory, slot + WorkRequest.DATA, operand);
    RingLayout.putLong(memory, slot + WorkRequest.DATA + 8, mask);
    RingLayout.putLong(memory, slot + WorkRequest.DATA + 16, compare);
    RingLayout.putLong(memory, slot + WorkRequest.DATA + 24, compareMask);
    write(
        WorkRequest.opcodeWord(opcode, flags, WorkRequest.ATOMIC_SLOTS),
        id,
        connection,
        localStag,
        localOffset,
        WorkRequest.ATOMIC_OCTETS,
        remoteStag,
        0,
        remoteTo,
        0);
    release(WorkRequest.ATOMIC_SLOTS);
    return true;
  }

  /**
   * Posts a request whose message lies in pieces.
   *
   * @param opcode receive, send or write
   * @param flags of {@link WorkRequest}
   * @param pieces one at least
   * @return false when too few slots are free, or too many requests are outstanding: poll first
   */
  public boolean postList(
      int opcode,
      int flags,
      long id,
      int connection,
      PieceList pieces,
      int remoteStag,
      long remoteTo) {
    return postList(opcode, flags, id, connection, pieces, remoteStag, 0, remoteTo, 0);
  }

  /**
   * Posts a request whose message lies in pieces, with what plain DDP has besides.
   *
   * @param opcode one of {@link org.rddp.client.types.Opcode}
   * @param flags of {@link WorkRequest}
   * @param pieces one at least
   * @param qn Queue Number, 0 unless the opcode has one
   * @param immediate 0, the RsvdULP, or immediate data
   * @return false when too few slots are free, or too many requests are outstanding: poll first
   */
  public boolean postList(
      int opcode,
      int flags,
      long id,
      int connection,
      PieceList pieces,
      int remoteStag,
      int qn,
      long remoteTo,
      long immediate) {
    int count = pieces.count();
    int slots = WorkRequest.slotsForPieces(count);
    if (!hasRoom(slots)) {
      return false;
    }
    for (int i = 1; i < slots; i++) {
      RingLayout.putLong(memory, submissionSlot(posted + i), 0);
    }
    for (int i = 0; i < count; i++) {
      long at =
          submissionSlot(posted + WorkRequest.pieceSlot(i))
              + WorkRequest.DATA
              + WorkRequest.pieceAt(i);
      RingLayout.putInt(memory, at, pieces.stag(i));
      RingLayout.putInt(memory, at + 4, 0);
      RingLayout.putLong(memory, at + WorkRequest.PIECE_OFFSET, pieces.offset(i));
      RingLayout.putLong(memory, at + WorkRequest.PIECE_LENGTH, pieces.length(i));
    }
    write(
        WorkRequest.listWord(opcode, flags, count),
        id,
        connection,
        0,
        0,
        pieces.length(),
        remoteStag,
        qn,
        remoteTo,
        immediate);
    release(slots);
    return true;
  }

  /**
   * Posts a request that carries its message.
   *
   * @param flags of {@link WorkRequest}
   * @param from where the message lies
   * @param length octets, 0 to {@link WorkRequest#MAX_INLINE}
   * @return false when too few slots are free, or too many requests are outstanding: poll first
   */
  public boolean postInline(
      int opcode,
      int flags,
      long id,
      int connection,
      MemorySegment from,
      long offset,
      int length,
      int remoteStag,
      long remoteTo) {
    return postInline(
        opcode, flags, id, connection, from, offset, length, remoteStag, 0, remoteTo, 0);
  }

  /**
   * Posts a request that carries its message, with what plain DDP has besides.
   *
   * @param flags of {@link WorkRequest}
   * @param from where the message lies
   * @param length octets, 0 to {@link WorkRequest#MAX_INLINE}
   * @param qn Queue Number, 0 unless the opcode has one
   * @param immediate 0, or the RsvdULP
   * @return false when too few slots are free, or too many requests are outstanding: poll first
   */
  public boolean postInline(
      int opcode,
      int flags,
      long id,
      int connection,
      MemorySegment from,
      long offset,
      int length,
      int remoteStag,
      int qn,
      long remoteTo,
      long immediate) {
    if (length < 0 || length > WorkRequest.MAX_INLINE) {
      throw new IllegalArgumentException(
          "inline message of " + length + " octets, at most " + WorkRequest.MAX_INLINE);
    }
    int slots = WorkRequest.slotsForInline(length);
    if (!hasRoom(slots)) {
      return false;
    }
    int copied = 0;
    for (int i = 1; i < slots; i++) {
      long slot = submissionSlot(posted + i);
      int octets = Math.min(WorkRequest.DATA_OCTETS, length - copied);
      MemorySegment.copy(from, offset + copied, memory, slot + WorkRequest.DATA, octets);
      // Whatever data was here a lap ago, it must not look like the state of a later entry.
      RingLayout.putLong(memory, slot, 0);
      copied += octets;
    }
    write(
        WorkRequest.opcodeWord(opcode, flags | WorkRequest.INLINE, slots),
        id,
        connection,
        0,
        0,
        length,
        remoteStag,
        qn,
        remoteTo,
        immediate);
    release(slots);
    return true;
  }

  private boolean hasRoom(int slots) {
    if (outstanding >= completionSlots) {
      return false;
    }
    if (posted + slots - taken > submissionSlots) {
      long now = (long) RingLayout.LONG.getAcquire(memory, (long) RingLayout.TAKEN);
      if (now < taken || now > posted) {
        throw new IllegalStateException("the submission ring holds garbage: connect again");
      }
      taken = now;
    }
    return posted + slots - taken <= submissionSlots;
  }

  private void write(
      int opcodeWord,
      long id,
      int connection,
      int localStag,
      long localOffset,
      long length,
      int remoteStag,
      int qn,
      long remoteTo,
      long immediate) {
    long slot = submissionSlot(posted);
    RingLayout.putInt(memory, slot + WorkRequest.OPCODE, opcodeWord);
    RingLayout.putLong(memory, slot + WorkRequest.ID, id);
    RingLayout.putInt(memory, slot + WorkRequest.CONNECTION, connection);
    RingLayout.putInt(memory, slot + WorkRequest.LOCAL_STAG, localStag);
    RingLayout.putLong(memory, slot + WorkRequest.LOCAL_OFFSET, localOffset);
    RingLayout.putLong(memory, slot + WorkRequest.LENGTH, length);
    RingLayout.putInt(memory, slot + WorkRequest.REMOTE_STAG, remoteStag);
    RingLayout.putInt(memory, slot + WorkRequest.QN, qn);
    RingLayout.putLong(memory, slot + WorkRequest.REMOTE_TO, remoteTo);
    RingLayout.putLong(memory, slot + WorkRequest.IMMEDIATE, immediate);
  }

  private void release(int slots) {
    RingLayout.INT.setRelease(
        memory, submissionSlot(posted), RingLayout.lap(posted, submissionShift));
    posted += slots;
    outstanding++;
  }

  /**
   * Copies the next completion, if there is one. After a batch of them call {@link #publish()}.
   *
   * @throws IllegalStateException when the daemon cannot have written it
   */
  public boolean poll(Completion completion) {
    long slot = completionSlot();
    if ((int) RingLayout.INT.getAcquire(memory, slot) != RingLayout.lap(read, completionShift)) {
      return false;
    }
    completion.read(memory, slot);
    int retired = completion.retired();
    if (retired < 1 || retired > outstanding) {
      throw new IllegalStateException("the completion ring holds garbage: connect again");
    }
    outstanding -= retired;
    read++;
    return true;
  }

  /** Tells the daemon which completions have been read. */
  public void publish() {
    if (published != read) {
      published = read;
      RingLayout.LONG.setRelease(memory, (long) RingLayout.READ, read);
    }
  }

  /**
   * Asks to be woken by a signal at the next completion.
   *
   * @return false when a completion is there already: do not wait
   */
  public boolean requestSignal() {
    // Volatile, and so is the read that follows: see DaemonRings.flush.
    RingLayout.INT.setVolatile(memory, (long) RingLayout.WAITING, 1);
    int state = (int) RingLayout.INT.getVolatile(memory, completionSlot());
    return state != RingLayout.lap(read, completionShift);
  }

  /** Requests posted whose completion, or that of a later one, has not been polled. */
  public int outstanding() {
    return outstanding;
  }

  /** The most requests that may be outstanding. */
  public int capacity() {
    return completionSlots;
  }

  private long submissionSlot(long position) {
    return RingLayout.SLOTS + (position & (submissionSlots - 1L)) * RingLayout.SLOT;
  }

  private long completionSlot() {
    return completionBase + (read & (completionSlots - 1L)) * RingLayout.SLOT;
  }
}
