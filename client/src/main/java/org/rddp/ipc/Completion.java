package org.rddp.ipc;

import java.lang.foreign.MemorySegment;

/**
 * A completion as the program reads it: a private copy of one slot of the completion ring.
 *
 * <pre>
 *  0  state word (4)           16  octets (8), of the message
 *  4  opcode (1), of the       24  connection (4)
 *     request that ended       28  retired (4), requests
 *  5  status (1)               32  detail (4), error number
 *  6  zero (2)                 36  zero (28)
 *  8  work request id (8)
 * </pre>
 *
 * <p>Used by one thread; reused without allocation.
 */
public final class Completion {
  static final int OPCODE = 4;
  static final int ID = 8;
  static final int OCTETS = 16;
  static final int CONNECTION = 24;
  static final int RETIRED = 28;
  static final int DETAIL = 32;

  private int opcode;
  private int status;
  private long id;
  private long octets;
  private int connection;
  private int retired;
  private int detail;

  static void write(
      MemorySegment memory,
      long slot,
      long id,
      int connection,
      int opcode,
      CompletionStatus status,
      long octets,
      int retired,
      int detail) {
    RingLayout.putInt(memory, slot + OPCODE, (opcode & 0xff) | status.code() << 8);
    RingLayout.putLong(memory, slot + ID, id);
    RingLayout.putLong(memory, slot + OCTETS, octets);
    RingLayout.putInt(memory, slot + CONNECTION, connection);
    RingLayout.putInt(memory, slot + RETIRED, retired);
    RingLayout.putInt(memory, slot + DETAIL, detail);
  }

  void read(MemorySegment memory, long slot) {
    int word = RingLayout.getInt(memory, slot + OPCODE);
    opcode = word & 0xff;
    status = word >>> 8 & 0xff;
    id = RingLayout.getLong(memory, slot + ID);
    octets = RingLayout.getLong(memory, slot + OCTETS);
    connection = RingLayout.getInt(memory, slot + CONNECTION);
    retired = RingLayout.getInt(memory, slot + RETIRED);
    detail = RingLayout.getInt(memory, slot + DETAIL);
  }

  /** The program's own number for the request. */
  public long id() {
    return id;
  }

  /** The connection's number. */
  public int connection() {
    return connection;
  }

  /** What was asked for, one of {@link Opcode}. */
  public int opcode() {
    return opcode;
  }

  /** How it ended. */
  public CompletionStatus status() {
    return CompletionStatus.of(status);
  }

  /** Whether it succeeded. */
  public boolean isSuccess() {
    return status == CompletionStatus.SUCCESS.code();
  }

  /** Octets of the message that was sent, written or received; 0 on failure. */
  public long octets() {
    return octets;
  }

  /**
   * Requests of the same queue of that connection that this completion ends: itself and the
   * unsignalled ones before it.
   */
  public int retired() {
    return retired;
  }

  /** The error's number in the layer that it comes from, 0 when there is none. */
  public int detail() {
    return detail;
  }

  @Override
  public String toString() {
    return "%s id %d connection %08x %s octets %d"
        .formatted(Opcode.name(opcode), id, connection, status(), octets);
  }
}
