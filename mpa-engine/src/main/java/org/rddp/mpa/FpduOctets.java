package org.rddp.mpa;

import java.util.Arrays;
import java.util.function.IntConsumer;
import org.rddp.crc.Crc32c;
import org.rddp.device.PacketPool;
import org.rddp.snapshot.Snapshot;
import org.rddp.wire.Memory;

/**
 * The octets of one FPDU in place: contiguous in one segment, or in the packets of several
 * segments, which are retained until the FPDU has been processed.
 *
 * <p>Octets that fit are copied into the packet before them, so that a peer cannot pin a packet
 * with each tiny segment. Any two consecutive packets therefore hold more than one packet has room
 * for.
 */
final class FpduOctets {
  /** No packet has more octets. */
  private static final int LONGEST = 1 << 17;

  private final PacketPool pool;
  private final IntConsumer retained;
  private long[] addresses = new long[4];
  private int[] ends = new int[4];
  private long[] packets = new long[4];
  private int pieces;

  FpduOctets(PacketPool pool) {
    this(pool, packets -> {});
  }

  /**
   * Creates an instance without octets.
   *
   * @param retained called with the number of packets newly retained, by their {@linkplain
   *     PacketPool#weight weight}; negative for released ones
   */
  FpduOctets(PacketPool pool, IntConsumer retained) {
    this.pool = pool;
    this.retained = retained;
  }

  /** Number of octets. */
  int count() {
    return pieces == 0 ? 0 : ends[pieces - 1];
  }

  /** Sets the octets without retaining their packet. No packet may be retained. */
  void set(long address, int octets) {
    addresses[0] = address;
    ends[0] = octets;
    packets[0] = 0;
    pieces = 1;
  }

  /** Appends octets without retaining their packet. */
  void append(long address, int octets) {
    makeRoom();
    int before = count();
    addresses[pieces] = address;
    ends[pieces] = before + octets;
    packets[pieces] = 0;
    pieces++;
  }

  /**
   * Appends octets and retains their packet.
   *
   * @param octets how many, greater than 0
   * @param packet the packet that holds them
   */
  void keep(long address, int octets, long packet) {
    int last = pieces - 1;
    if (last >= 0) {
      long behind = addresses[last] + ends[last] - start(last);
      if (address == behind && packets[last] == packet) {
        ends[last] += octets;
        return;
      }
      if (hasRoomFor(octets, packet)) { // MPAA-5.2-02
        Memory.copy(address, behind, octets);
        ends[last] += octets;
        return;
      }
    }
    if (pool.isLong(packet)) {
      copy(address, octets, packet);
    } else {
      add(address, octets, packet);
    }
  }

  /**
   * Copies octets into ordinary packets while there are some: the few long ones are for frames on
   * their way, not for FPDUs that the peer may never complete.
   */
  private void copy(long address, int octets, long packet) {
    int done = 0;
    while (done < octets) {
      long own = pool.allocate();
      if (own == 0) {
        add(address + done, octets - done, packet);
        return;
      }
      int part = Math.min(octets - done, pool.room());
      long to = pool.address(own);
      Memory.copy(address + done, to, part);
      add(to, part, own);
      pool.release(own);
      done += part;
    }
  }

  /**
   * Whether octets fit behind the last piece: there is room, and its packet has no other reference,
   * so that what follows may be overwritten.
   *
   * @param packet the packet that holds them
   */
  boolean hasRoomFor(int octets, long packet) {
    int last = pieces - 1;
    if (last < 0 || packets[last] == packet || pool.shared(packets[last])) {
      return false;
    }
    long behind = addresses[last] + ends[last] - start(last);
    return octets <= pool.end(packets[last]) - behind;
  }

  private void add(long address, int octets, long packet) {
    pool.retain(packet);
    retained.accept(pool.weight(packet));
    append(address, octets);
    packets[pieces - 1] = packet;
  }

  private void makeRoom() {
    if (pieces == ends.length) {
      addresses = Arrays.copyOf(addresses, 2 * pieces);
      ends = Arrays.copyOf(ends, 2 * pieces);
      packets = Arrays.copyOf(packets, 2 * pieces);
    }
  }

  /** Removes all octets and releases their packets. */
  void clear() {
    for (int piece = 0; piece < pieces; piece++) {
      if (packets[piece] != 0) {
        retained.accept(-pool.weight(packets[piece]));
        pool.release(packets[piece]);
      }
    }
    pieces = 0;
  }

  private int start(int piece) {
    return piece == 0 ? 0 : ends[piece - 1];
  }

  private int pieceWith(int at) {
    if (at < ends[0]) {
      return 0;
    }
    int found = Arrays.binarySearch(ends, 0, pieces, at + 1);
    return found >= 0 ? found : -found - 1;
  }

  private int getByte(int at) {
    int piece = pieceWith(at);
    return Memory.getByte(addresses[piece] + at - start(piece));
  }

  /** The 16-bit number at {@code at}. */
  int getShort(int at) {
    if (at + Short.BYTES <= ends[0]) {
      return Memory.getShort(addresses[0] + at);
    }
    return getByte(at) << 8 | getByte(at + 1);
  }

  /** The 32-bit number at {@code at}. */
  int getInt(int at) {
    if (at + Integer.BYTES <= ends[0]) {
      return Memory.getInt(addresses[0] + at);
    }
    return getShort(at) << 16 | getShort(at + 2);
  }

  /** The CRC of the first {@code octets} octets. */
  int crc(Crc32c crc32c, int octets) {
    int crc = 0;
    int done = 0;
    for (int piece = 0; done < octets; piece++) {
      int part = Math.min(octets, ends[piece]) - done;
      crc = crc32c.update(crc, addresses[piece], part); // MPAB-2.1-03
      done += part;
    }
    return crc;
  }

  /** Appends to {@code ulpdu} the octets from {@code from} to {@code to} (exclusive). */
  void show(Ulpdu ulpdu, int from, int to) {
    int at = from;
    for (int piece = from < to ? pieceWith(from) : 0; at < to; piece++) {
      int part = Math.min(to, ends[piece]) - at;
      ulpdu.add(addresses[piece] + at - start(piece), part);
      at += part;
    }
  }

  /**
   * Transfers octets whose packets are retained; when read, there are none before, and they go into
   * packets of this pool.
   */
  void transfer(Snapshot snapshot) {
    snapshot.begin(FpduOctets.class);
    int count = snapshot.number("pieces", pieces, 0, Integer.MAX_VALUE);
    for (int piece = 0; piece < count; piece++) {
      boolean reads = snapshot.reads();
      int length = snapshot.number("ends", reads ? 0 : ends[piece] - start(piece), 1, LONGEST);
      boolean isLong = snapshot.flag("isLong", !reads && pool.isLong(packets[piece]));
      if (reads) {
        addNew(snapshot, length, isLong);
      }
      snapshot.octets("addresses", addresses[piece], length);
    }
    snapshot.end();
  }

  /** Adds a new packet with so many octets. */
  private void addNew(Snapshot snapshot, int octets, boolean isLong) {
    long packet = isLong ? pool.allocateLong() : pool.allocate();
    if (packet == 0) {
      throw snapshot.wrong("the pool has no packet left");
    }
    long address = pool.address(packet);
    boolean fits = octets <= pool.end(packet) - address;
    if (fits) {
      add(address, octets, packet);
    }
    pool.release(packet);
    if (!fits) {
      throw snapshot.wrong(octets + " octets do not fit into a packet of the pool");
    }
  }
}
