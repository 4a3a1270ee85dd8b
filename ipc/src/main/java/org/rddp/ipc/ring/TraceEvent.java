package org.rddp.ipc.ring;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * An event of a traced connection, as the daemon writes it into a {@link CaptureRing}: its kind
 * (4), a detail (4), up to nine numbers (8 each), and for segments and FPDUs a header from 64 on,
 * instead of the eighth and the ninth number. docs/ipc.md says what they mean for each kind.
 *
 * <p>Not thread-safe; a writer allocates nothing per event.
 */
public final class TraceEvent {
  /** Octets of the longest event. */
  public static final int LONGEST = 128;

  /** A TCP segment is about to be sent. */
  public static final int SEGMENT_SENT = 1;

  /** A TCP segment has been received. */
  public static final int SEGMENT_RECEIVED = 2;

  /** The state of TCP's sender has changed. */
  public static final int STATE = 3;

  /** A timer of TCP has expired. */
  public static final int TIMER = 4;

  /** An FPDU has been handed to TCP. */
  public static final int FPDU_SENT = 5;

  /** A valid FPDU has been received. */
  public static final int FPDU_RECEIVED = 6;

  /** A work request has been taken from the program's ring. */
  public static final int REQUEST_TAKEN = 7;

  /** A work request has completed. */
  public static final int REQUEST_COMPLETED = 8;

  /** The TCP connection has ended. */
  public static final int CLOSED = 9;

  private static final int DETAIL = 4;
  private static final int NUMBERS = 8;
  private static final int HEADER = 64;
  private static final int MOST_NUMBERS = 9;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

  private MemorySegment event;
  private int length;

  /** Creates an event to write. */
  public TraceEvent() {
    event = Arena.ofAuto().allocate(LONGEST, Long.BYTES);
  }

  /** Wraps an event that was read; valid as long as the segment. */
  public void wrap(MemorySegment read) {
    event = read;
    length = (int) read.byteSize();
  }

  /** Begins an event. */
  public TraceEvent begin(int kind, int detail) {
    event.set(INT, 0, kind);
    event.set(INT, DETAIL, detail);
    length = NUMBERS;
    return this;
  }

  /** Appends a number; no more than seven to an event with a header. */
  public TraceEvent add(long number) {
    event.set(LONG, length, number);
    length += Long.BYTES;
    return this;
  }

  /**
   * Appends room for a header, after the numbers.
   *
   * @param octets 0 to 64
   * @return address of the room
   */
  public long header(int octets) {
    event.asSlice(length, HEADER - length).fill((byte) 0);
    length = HEADER + octets;
    return event.address() + HEADER;
  }

  /** Address of the event. */
  public long address() {
    return event.address();
  }

  /** Octets of the event. */
  public int length() {
    return length;
  }

  /** Its kind; 0 if it is too short to have one. */
  public int kind() {
    return length < NUMBERS ? 0 : event.get(INT, 0);
  }

  /** Its detail. */
  public int detail() {
    return event.get(INT, DETAIL);
  }

  /**
   * One of its numbers, 0 if the event does not have it.
   *
   * @param index 0 to 8
   */
  public long number(int index) {
    int at = NUMBERS + index * Long.BYTES;
    boolean present = index < MOST_NUMBERS && at + Long.BYTES <= length;
    return present ? event.get(LONG, at) : 0;
  }

  /** Its header; empty if there is none. */
  public MemorySegment header() {
    return event.asSlice(Math.min(HEADER, length), Math.max(length - HEADER, 0));
  }
}
