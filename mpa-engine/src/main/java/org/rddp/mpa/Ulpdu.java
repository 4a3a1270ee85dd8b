package org.rddp.mpa;

import java.util.Arrays;
import org.rddp.wire.Memory;

/**
 * A received ULPDU in place: one fragment if its FPDU arrived in one segment without Markers,
 * several otherwise. Its octets are still in packet buffers, so it is valid only during the call
 * that passes it.
 *
 * <p>Offsets count from the ULPDU's first octet. They are checked, since they may depend on what a
 * peer sent: one outside the ULPDU throws {@link IndexOutOfBoundsException}.
 */
public final class Ulpdu {
  private long[] addresses = new long[8];
  private int[] ends = new int[8];
  private int fragments;
  private int length;
  private long position;
  private boolean early;

  /** Creates a ULPDU without octets; {@link #add} adds them. */
  public Ulpdu() {}

  /**
   * Creates a ULPDU of one fragment, for tests.
   *
   * @param position stream position of its FPDU's first octet
   * @param address of its first octet
   * @param length its octets, 0 to 65535
   */
  public static Ulpdu of(long position, long address, int length) {
    Ulpdu ulpdu = new Ulpdu();
    ulpdu.reset(position, false);
    ulpdu.add(address, length);
    return ulpdu;
  }

  /**
   * Empties this for the next ULPDU.
   *
   * @param position {@link #position()} of the next ULPDU
   * @param early {@link #early()} of the next ULPDU
   */
  public void reset(long position, boolean early) {
    this.position = position;
    this.early = early;
    fragments = 0;
    length = 0;
  }

  /** Appends octets, at most 65535 in all. They must stay valid while this ULPDU is used. */
  public void add(long address, int octets) {
    if (octets == 0) {
      return;
    }
    if (fragments == ends.length) {
      addresses = Arrays.copyOf(addresses, 2 * fragments);
      ends = Arrays.copyOf(ends, 2 * fragments);
    }
    length += octets;
    addresses[fragments] = address;
    ends[fragments] = length;
    fragments++;
  }

  /** Its octets, 0 to 65535. */
  public int length() {
    return length;
  }

  /**
   * Stream position of the first octet of its FPDU: of the Marker directly before ULPDU_Length, if
   * there is one, or of ULPDU_Length. Positions give the order in which the peer sent.
   */
  public long position() {
    return position;
  }

  /**
   * Whether octets before this ULPDU are still missing: it may be placed now, but Delivered only
   * with {@link UlpduHandler#onDelivered}.
   */
  public boolean early() {
    return early;
  }

  /** Number of fragments. */
  public int fragments() {
    return fragments;
  }

  /** Address of fragment {@code index}. */
  public long address(int index) {
    return addresses[checked(index)];
  }

  /** Octets in fragment {@code index}, greater than 0. */
  public int octets(int index) {
    return ends[checked(index)] - start(index);
  }

  private int checked(int index) {
    if (index < 0 || index >= fragments) {
      throw new IndexOutOfBoundsException(index);
    }
    return index;
  }

  private int start(int index) {
    return index == 0 ? 0 : ends[index - 1];
  }

  /** The octet at {@code at}, 0 to 255. */
  public int getByte(int at) {
    int index = fragmentWith(at, 1);
    return Memory.getByte(addresses[index] + at - start(index));
  }

  /** The 16-bit number at {@code at}, 0 to 65535. */
  public int getShort(int at) {
    int index = fragmentWith(at, 2);
    if (at + 2 <= ends[index]) {
      return Memory.getShort(addresses[index] + at - start(index));
    }
    return getByte(at) << 8 | getByte(at + 1);
  }

  /** The 32-bit number at {@code at}. */
  public int getInt(int at) {
    int index = fragmentWith(at, 4);
    if (at + 4 <= ends[index]) {
      return Memory.getInt(addresses[index] + at - start(index));
    }
    return getShort(at) << 16 | getShort(at + 2);
  }

  /** The 64-bit number at {@code at}. */
  public long getLong(int at) {
    int index = fragmentWith(at, 8);
    if (at + 8 <= ends[index]) {
      return Memory.getLong(addresses[index] + at - start(index));
    }
    return (long) getInt(at) << 32 | Integer.toUnsignedLong(getInt(at + 4));
  }

  /**
   * Copies octets out.
   *
   * @param from offset of the first
   * @param to destination address
   * @param octets how many, 0 or more
   */
  public void copy(int from, long to, int octets) {
    if (octets == 0) {
      return;
    }
    int index = fragmentWith(from, octets);
    int at = from;
    long target = to;
    for (int left = octets; left > 0; index++) {
      int part = Math.min(left, ends[index] - at);
      Memory.copy(addresses[index] + at - start(index), target, part);
      at += part;
      target += part;
      left -= part;
    }
  }

  /**
   * Index of the fragment with octet {@code at}; checks that {@code octets} octets from there are
   * inside the ULPDU.
   */
  private int fragmentWith(int at, int octets) {
    if (at < 0 || octets < 0 || octets > length - at) {
      throw new IndexOutOfBoundsException(
          "octets " + at + " to " + (at + (long) octets) + " of a ULPDU of " + length);
    }
    if (at < ends[0]) {
      return 0;
    }
    int found = Arrays.binarySearch(ends, 0, fragments, at + 1);
    return found >= 0 ? found : -found - 1;
  }
}
