package org.rddp.ddp.receiving;

import java.util.Arrays;
import org.rddp.ddp.segment.SegmentHeader;
import org.rddp.snapshot.Snapshot;

/**
 * The headers of segments that have been placed early, in the order in which the peer sent them.
 * Their number is bounded, for a stream and for all streams of an engine, since a peer may send
 * arbitrarily small segments.
 */
public final class EarlySegmentHeaders {
  /** More than the full segments (1460 octets) in a window of 4 MiB. */
  public static final int MOST = 4096;

  /** Headers for which a stream always has room. */
  private static final int FEW = 16;

  private static final SegmentHeader[] NONE = {};

  private final EarlyRoom room;

  /** The first {@link #count} are in use, by ascending position; the others are spare. */
  private SegmentHeader[] headers = NONE;

  private int count;

  /** Creates an instance without headers. */
  public EarlySegmentHeaders(EarlyRoom room) {
    this.room = room;
  }

  boolean isEmpty() {
    return count == 0;
  }

  /** Whether another header can be added. */
  boolean hasRoom() {
    return count < MOST && (count < Math.max(FEW, headers.length) || room.has(count));
  }

  /** Adds a copy of a header with a new position. Requires {@link #hasRoom()}. */
  void add(SegmentHeader header) {
    if (count == headers.length) {
      grow();
    }
    SegmentHeader note = headers[count];
    int index = firstBehind(header.position());
    System.arraycopy(headers, index, headers, index + 1, count - index);
    note.set(header);
    headers[index] = note;
    count++;
  }

  /** The index of the first header behind a stream position; mostly there is none. */
  private int firstBehind(long position) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (headers[middle].position() > position) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  private void grow() {
    headers = Arrays.copyOf(headers, Math.max(FEW, 2 * count));
    // The headers of the shortest array do not count.
    room.take(headers.length == FEW ? 0 : count);
    for (int i = count; i < headers.length; i++) {
      headers[i] = new SegmentHeader();
    }
  }

  /** The header at {@code index}, 0 being the first. */
  SegmentHeader get(int index) {
    return headers[index];
  }

  /** Whether there is a header at {@code index} and it is before a stream position. */
  boolean before(long position, int index) {
    return index < count && headers[index].position() < position;
  }

  /** Number of headers before a stream position. */
  int before(long position) {
    int found = 0;
    while (found < count && headers[found].position() < position) {
      found++;
    }
    return found;
  }

  /** Removes the first {@code number} headers. */
  void removeFirst(int number) {
    int left = count - number;
    for (int i = 0; i < left; i++) {
      SegmentHeader spare = headers[i];
      headers[i] = headers[i + number];
      headers[i + number] = spare;
    }
    count = left;
    if (count == 0 && room.isScarce()) {
      clear();
    }
  }

  /** Removes all headers, and returns their room. */
  void clear() {
    count = 0;
    if (headers.length > FEW) {
      room.give(headers.length - FEW);
      headers = NONE;
    }
  }

  /** Transfers the headers; when read, there are none before. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(EarlySegmentHeaders.class);
    int more = snapshot.number("count", count, 0, MOST);
    for (int i = 0; i < more; i++) {
      SegmentHeader header = snapshot.reads() ? new SegmentHeader() : headers[i];
      header.transfer(snapshot);
      if (snapshot.reads()) {
        if (!hasRoom()) {
          throw snapshot.wrong("no room is left for headers of early segments");
        }
        add(header);
      }
    }
    snapshot.end();
  }
}
