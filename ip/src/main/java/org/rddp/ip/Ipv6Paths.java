package org.rddp.ip;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.rddp.snapshot.Snapshot;

/**
 * Assigns numbers to the paths of IPv6, so that the layers above have one number for a path of
 * either family: an IPv4 address, or one of these, whose first octet is 0, which no host's IPv4
 * address has.
 *
 * <p>A path keeps its number while it has users. Up to {@link #IDLE} paths without users keep
 * theirs, too; then the number of the one used longest ago is assigned anew. So a peer that sends
 * from many addresses cannot fill memory. Looking up a known address allocates nothing.
 */
final class Ipv6Paths {
  /** The most paths without users. */
  static final int IDLE = 256;

  private static final int SMALLEST = 1024;

  private final IpContext context;
  private final Ipv6Layer layer;
  private final long seed;

  /** Paths by number; the number 0 means none. */
  private Ipv6Path[] numbered = new Ipv6Path[SMALLEST];

  /** Numbers by the hash of their path, by linear probing; at most half full. */
  private int[] slots = new int[2 * SMALLEST];

  /**
   * Numbers from this one on were never used. The limit of connections bounds it, far below 2^24.
   */
  private int end = 1;

  /** Numbers below {@link #end} that are not in use. */
  private int[] free = new int[SMALLEST];

  private int freeCount;

  private int idle;
  private Ipv6Path oldestIdle;
  private Ipv6Path newestIdle;
  private Ipv6Path last;

  /**
   * Creates an empty table.
   *
   * @param seed keys the hash; random, so that peers cannot predict it
   */
  Ipv6Paths(IpContext context, Ipv6Layer layer, long seed) {
    this.context = context;
    this.layer = layer;
    this.seed = seed;
  }

  /** The path with a number. */
  Ipv6Path at(int number) {
    return numbered[number];
  }

  /** Whether there is a path with a number. */
  boolean has(int number) {
    return number < end && numbered[number] != null;
  }

  /** The path, or null if it has no number. */
  Ipv6Path find(long high, long low, int local) {
    Ipv6Path recent = last;
    if (recent != null && recent.low == low && recent.high == high && recent.local == local) {
      return recent;
    }
    int mask = slots.length - 1;
    for (int slot = hash(high, low, local) & mask; slots[slot] != 0; slot = (slot + 1) & mask) {
      Ipv6Path path = numbered[slots[slot]];
      if (path.low == low && path.high == high && path.local == local) {
        last = path;
        return path;
      }
    }
    return null;
  }

  /** The path, with a number that it keeps at least while the packet is processed. */
  Ipv6Path get(long high, long low, int local) {
    Ipv6Path path = find(high, low, local);
    if (path == null) {
      path = add(high, low, local);
    } else if (!path.isKept() && newestIdle.number() != path.number()) {
      unlink(path);
      append(path);
    }
    return path;
  }

  private Ipv6Path add(long high, long low, int local) {
    int number;
    if (idle == IDLE) {
      number = oldestIdle.number();
      remove(oldestIdle);
    } else if (freeCount > 0) {
      number = free[--freeCount];
    } else {
      number = end++;
      if (number == numbered.length) {
        grow();
      }
    }
    last = create(number, high, low, local);
    return last;
  }

  private Ipv6Path create(int number, long high, long low, int local) {
    Ipv6Path path =
        new Ipv6Path(context, layer, number, high, low, local, layer.addresses().get(local));
    numbered[number] = path;
    place(path);
    append(path);
    return path;
  }

  /** Keeps the number of a path that has got its first user. */
  void keep(Ipv6Path path) {
    unlink(path);
  }

  /**
   * Puts a path that has lost its last user among the idle ones; its number may be assigned to
   * another.
   */
  void idle(Ipv6Path path) {
    if (idle == IDLE) {
      Ipv6Path oldest = oldestIdle;
      remove(oldest);
      free[freeCount++] = oldest.number();
    }
    append(path);
  }

  /** Removes redirects to a host that is no longer a router. */
  void endRedirects(Ipv6Address router) {
    for (int number = 1; number < end; number++) {
      Ipv6Path path = numbered[number];
      if (path != null && path.redirect() != null && path.redirect().address.equals(router)) {
        path.redirect(null);
      }
    }
  }

  private void grow() {
    numbered = Arrays.copyOf(numbered, 2 * numbered.length);
    free = Arrays.copyOf(free, numbered.length);
    slots = new int[2 * numbered.length];
    for (int number = 1; number < numbered.length; number++) {
      if (numbered[number] != null) {
        place(numbered[number]);
      }
    }
  }

  private void place(Ipv6Path path) {
    int mask = slots.length - 1;
    int slot = hash(path) & mask;
    while (slots[slot] != 0) {
      slot = (slot + 1) & mask;
    }
    slots[slot] = path.number();
  }

  /** Removes an idle path, and moves up those behind it so that searches find them. */
  private void remove(Ipv6Path path) {
    unlink(path);
    int mask = slots.length - 1;
    int hole = hash(path) & mask;
    while (slots[hole] != path.number()) {
      hole = (hole + 1) & mask;
    }
    for (int slot = (hole + 1) & mask; slots[slot] != 0; slot = (slot + 1) & mask) {
      int home = hash(numbered[slots[slot]]) & mask;
      if (((slot - home) & mask) >= ((slot - hole) & mask)) {
        slots[hole] = slots[slot];
        hole = slot;
      }
    }
    slots[hole] = 0;
    numbered[path.number()] = null;
    path.redirect(null);
    last = null;
  }

  private int hash(Ipv6Path path) {
    return hash(path.high, path.low, path.local);
  }

  private int hash(long high, long low, int local) {
    long mixed = (high ^ seed) * 0x9e3779b97f4a7c15L;
    mixed = (mixed ^ (mixed >>> 32) ^ low ^ local) * 0xd6e8feb86659fd93L;
    mixed = (mixed ^ (mixed >>> 32) ^ seed) * 0x9e3779b97f4a7c15L;
    return (int) (mixed >>> 32);
  }

  private void append(Ipv6Path path) {
    path.previous = newestIdle;
    path.next = null;
    if (newestIdle == null) {
      oldestIdle = path;
    } else {
      newestIdle.next = path;
    }
    newestIdle = path;
    idle++;
  }

  private void unlink(Ipv6Path path) {
    if (path.previous == null) {
      oldestIdle = path.next;
    } else {
      path.previous.next = path.next;
    }
    if (path.next == null) {
      newestIdle = path.previous;
    } else {
      path.next.previous = path.previous;
    }
    path.previous = null;
    path.next = null;
    idle--;
  }

  /**
   * Transfers the paths with their numbers, after the neighbours. When read, none has users yet.
   *
   * @param neighbours that redirects name
   */
  void transfer(Snapshot snapshot, Neighbours neighbours) {
    snapshot.begin(Ipv6Paths.class);
    end = snapshot.number("end", end, 1, (1 << 24) - 1);
    while (end > numbered.length) {
      grow();
    }
    freeCount = snapshot.number("freeCount", freeCount, 0, end);
    snapshot.numbers("free", free, freeCount);
    List<Ipv6Path> written = inOrder();
    int count = snapshot.number("paths", written.size(), 0, end);
    for (int i = 0; i < count; i++) {
      transfer(snapshot, snapshot.reads() ? null : written.get(i), neighbours);
    }
    snapshot.end();
  }

  private void transfer(Snapshot snapshot, Ipv6Path written, Neighbours neighbours) {
    snapshot.begin(Ipv6Path.class);
    int number = snapshot.number("number", written == null ? 0 : written.number(), 1, end - 1);
    long high = snapshot.number("high", written == null ? 0 : written.high);
    long low = snapshot.number("low", written == null ? 0 : written.low);
    int local =
        snapshot.number("local", written == null ? 0 : written.local, 0, LocalAddresses.COUNT - 1);
    Ipv6Path path = written;
    if (path == null) {
      if (numbered[number] != null) {
        throw snapshot.wrong("two paths have the number " + number);
      }
      path = create(number, high, low, local);
    }
    Neighbour hop = path.redirect();
    if (snapshot.flag("redirect", hop != null)) {
      HostAddress address = HostAddress.transfer(snapshot, hop == null ? null : hop.address);
      if (snapshot.reads()) {
        path.redirect(neighbours.find(address));
      }
    }
    snapshot.end();
  }

  /** The paths with users by their numbers, then the idle ones, the oldest first. */
  private List<Ipv6Path> inOrder() {
    List<Ipv6Path> paths = new ArrayList<>();
    for (int number = 1; number < end; number++) {
      if (numbered[number] != null && numbered[number].isKept()) {
        paths.add(numbered[number]);
      }
    }
    for (Ipv6Path path = oldestIdle; path != null; path = path.next) {
      paths.add(path);
    }
    return paths;
  }
}
