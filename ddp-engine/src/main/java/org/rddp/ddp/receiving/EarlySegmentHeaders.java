package org.rddp.ddp.receiving;

import java.util.Arrays;
import org.rddp.ddp.segment.SegmentHeader;

/**
 * The segments that have been placed before their turn, in the order in which the peer sent them.
 * Their number is bounded: a peer that sends tiny segments decides how many there are.
 */
public final class EarlySegmentHeaders {
  /** As many as a window of 4 MiB holds of full segments, and some more. */
  public static final int MOST = 4096;

  private static final SegmentHeader[] NONE = {};

  /** The first {@link #count} are notes in rising order of positions; the others are spare. */
  private SegmentHeader[] headers = NONE;

  private int count;

  boolean isEmpty() {
    return count == 0;
  }

  /** Whether there is room for one more. */
  boolean hasRoom() {
    return count < MOST;
  }

  /** Notes a segment; no other has its position. Needs {@link #hasRoom()}. */
  void add(SegmentHeader header) {
    if (count == headers.length) {
      grow();
    }
    SegmentHeader note = headers[count];
    int index = count;
    while (index > 0 && headers[index - 1].position() > header.position()) {
      index--;
    }
    System.arraycopy(headers, index, headers, index + 1, count - index);
    note.set(header);
    headers[index] = note;
    count++;
  }

  private void grow() {
    headers = Arrays.copyOf(headers, Math.max(16, 2 * count));
    for (int i = count; i < headers.length; i++) {
      headers[i] = new SegmentHeader();
    }
  }

  /** Note {@code index}, the first being 0. */
  SegmentHeader get(int index) {
    return headers[index];
  }

  /** Whether note {@code index} is there and before a stream position. */
  boolean before(long position, int index) {
    return index < count && headers[index].position() < position;
  }

  /** How many of them are before a stream position. */
  int before(long position) {
    int found = 0;
    while (found < count && headers[found].position() < position) {
      found++;
    }
    return found;
  }

  /** Removes the first {@code number} notes. */
  void removeFirst(int number) {
    int left = count - number;
    for (int i = 0; i < left; i++) {
      SegmentHeader spare = headers[i];
      headers[i] = headers[i + number];
      headers[i + number] = spare;
    }
    count = left;
  }

  void clear() {
    count = 0;
  }
}
