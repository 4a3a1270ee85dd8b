package org.rddp.simulation.mpa;

import java.util.Arrays;

/**
 * The ULPDUs that a program has sent, and the stream positions of their FPDUs, computed from RFC
 * 5044 section 4 without any code of MPA.
 */
final class SentFpdus {
  private static final int MARKER = 4;
  private static final int INTERVAL = 512;
  private static final int LENGTH = 2;
  private static final int CRC = 4;

  private final SentOctets octets;
  private int[] lengths = new int[256];
  private long[] contents = new long[256];

  /** Where each FPDU begins, and then where the next one will. */
  private long[] starts = new long[257];

  private int count;
  private int placed;
  private long content;
  private long start = -1;

  SentFpdus(SentOctets octets) {
    this.octets = octets;
  }

  /** Full Operation begins at a stream position. */
  void begin(long position) {
    start = position;
    starts[0] = position;
  }

  /** Whether Full Operation has begun. */
  boolean begun() {
    return start >= 0;
  }

  /** Stream position of the first octet of Full Operation. */
  long start() {
    return start;
  }

  /** A ULPDU has been sent; its octets follow those of the one before in the pattern. */
  void add(int length) {
    if (count == lengths.length) {
      lengths = Arrays.copyOf(lengths, 2 * count);
      contents = Arrays.copyOf(contents, 2 * count);
      starts = Arrays.copyOf(starts, 2 * count + 1);
    }
    lengths[count] = length;
    contents[count] = content;
    content += length;
    count++;
  }

  /** How many ULPDUs have been sent. */
  int count() {
    return count;
  }

  /** Octets of a ULPDU. */
  int length(int index) {
    return lengths[index];
  }

  /** Where in the pattern a ULPDU begins. */
  long content(int index) {
    return contents[index];
  }

  /** Where in the pattern the next ULPDU begins. */
  long content() {
    return content;
  }

  /** Whether the stream begins with a Marker: an FPDU begins with a length, which is not 0. */
  boolean markers() {
    return octets.octet((int) start) == 0 && octets.octet((int) start + 1) == 0;
  }

  /** The FPDU that begins at a stream position, or -1. */
  int at(long position) {
    place();
    int found = Arrays.binarySearch(starts, 0, placed, position);
    return found < 0 ? -1 : found;
  }

  /** How many FPDUs begin before a stream position. */
  int before(long position) {
    place();
    int found = Arrays.binarySearch(starts, 0, placed, position);
    return found < 0 ? -found - 1 : found;
  }

  /** Where an FPDU begins, its leading Marker included. */
  long start(int index) {
    place();
    return starts[index];
  }

  /** Where an FPDU ends. */
  long end(int index) {
    place();
    return starts[index + 1];
  }

  private void place() {
    if (placed < count && octets.count() > start + 1) {
      boolean markers = markers();
      for (; placed < count; placed++) {
        int pad = (4 - (LENGTH + lengths[placed]) % 4) % 4;
        int size = LENGTH + lengths[placed] + pad + CRC;
        starts[placed + 1] = markers ? behind(starts[placed], size) : starts[placed] + size;
      }
    }
  }

  /** The position after {@code size} octets and the Markers among them. */
  private long behind(long position, int size) {
    long at = position;
    int left = size;
    while (left > 0) {
      long offset = at - start;
      if (offset % INTERVAL == 0) {
        at += MARKER;
      }
      int part = (int) Math.min(left, INTERVAL - (at - start) % INTERVAL);
      at += part;
      left -= part;
    }
    return at;
  }
}
