package org.rddp.ddp;

import java.util.Arrays;

/**
 * The segments that have been placed before their turn, in the order in which the peer sent them.
 * Their number is bounded: a peer that sends tiny segments decides how many there are.
 */
final class EarlyNotes {
  /** As many as a window of 4 MiB holds of full segments, and some more. */
  static final int MOST = 4096;

  private static final SegmentHeader[] NONE = {};

  /** The first {@link #count} are notes in rising order of positions; the others are spare. */
  private SegmentHeader[] notes = NONE;

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
    if (count == notes.length) {
      grow();
    }
    SegmentHeader note = notes[count];
    int index = count;
    while (index > 0 && notes[index - 1].position() > header.position()) {
      index--;
    }
    System.arraycopy(notes, index, notes, index + 1, count - index);
    note.set(header);
    notes[index] = note;
    count++;
  }

  private void grow() {
    notes = Arrays.copyOf(notes, Math.max(16, 2 * count));
    for (int i = count; i < notes.length; i++) {
      notes[i] = new SegmentHeader();
    }
  }

  /** Note {@code index}, the first being 0. */
  SegmentHeader get(int index) {
    return notes[index];
  }

  /** Whether note {@code index} is there and before a stream position. */
  boolean before(long position, int index) {
    return index < count && notes[index].position() < position;
  }

  /** How many of them are before a stream position. */
  int before(long position) {
    int found = 0;
    while (found < count && notes[found].position() < position) {
      found++;
    }
    return found;
  }

  /** Removes the first {@code number} notes. */
  void removeFirst(int number) {
    int left = count - number;
    for (int i = 0; i < left; i++) {
      SegmentHeader spare = notes[i];
      notes[i] = notes[i + number];
      notes[i + number] = spare;
    }
    count = left;
  }

  void clear() {
    count = 0;
  }
}
