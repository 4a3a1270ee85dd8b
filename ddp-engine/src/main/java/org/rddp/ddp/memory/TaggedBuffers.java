package org.rddp.ddp.memory;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.rddp.snapshot.Snapshot;

/**
 * The STags of one engine: an open-addressing hash table from STag to {@link TaggedBuffer}.
 *
 * <p>All 32 bits of an STag are random, so that a peer cannot guess one from another, except for
 * the last octet of {@linkplain #allocateKeyedWindow windows whose program chooses it}. The low
 * bits serve as the hash. The table is at most half full. Removal shifts the following entries back
 * instead of leaving a tombstone, so lookups stay short.
 *
 * <p>Engine thread only. So after {@link #invalidate} returns, nothing is placed in the buffer any
 * more.
 */
public final class TaggedBuffers {
  private static final int KEY_BITS = 8;
  private static final int KEY_MASK = (1 << KEY_BITS) - 1;

  private final RandomGenerator random;
  private final TaggedBuffer[] table;
  private final int mask;
  private final int capacity;
  private int size;

  /** Upper 24 bits of STags whose last octet programs choose; nothing else gets such an STag. */
  private final Set<Integer> keyed = new HashSet<>();

  /**
   * Creates an empty table.
   *
   * @param capacity the most STags at a time, 1 to 2^28
   * @param random source of STags; a peer must not be able to predict it
   */
  public TaggedBuffers(int capacity, RandomGenerator random) {
    if (capacity < 1 || capacity > 1 << 28) {
      throw new IllegalArgumentException("capacity must be 1 to 2^28: " + capacity);
    }
    this.random = random;
    this.capacity = capacity;
    int places = Integer.highestOneBit(capacity) << 2;
    table = new TaggedBuffer[places];
    mask = places - 1;
  }

  /**
   * Registers a range of memory under a new STag.
   *
   * @param domain the domain whose streams may use it
   * @param stream the only stream that may use it, or null for all of the domain
   * @param address of the first octet
   * @param length in octets, greater than 0
   * @param baseTo Tagged Offset of the first octet, unsigned; {@code baseTo + length} is below 2^64
   * @param rights bits of {@link AccessRights}
   * @return the STag, or 0 if the table is full
   */
  public int register(
      ProtectionDomain domain,
      DomainMember stream,
      long address,
      long length,
      long baseTo,
      int rights) {
    if (length <= 0 || TaggedBuffer.wraps(baseTo, length)) {
      throw new IllegalArgumentException(
          "no range: " + length + " octets from TO " + Long.toUnsignedString(baseTo));
    }
    if ((rights & ~AccessRights.ALL) != 0) {
      throw new IllegalArgumentException("unknown rights: " + rights);
    }
    // RDMAP-8.1.1-04, DDP-8.3-01, DDP-8.3.1-02: "a mechanism for the ULP to establish and revoke";
    // DDP-8.3-03: "the association between a STag and a specific DDP Stream". RDMAP-5.1-06: TOs may
    // begin anywhere.
    return add(domain, stream, address, length, baseTo, rights, null);
  }

  /**
   * Binds a memory window (RFC 5040 section 2.1): registers a part of a region under an STag of its
   * own, with its own rights. The window ends with the region, or earlier by {@link #invalidate}.
   *
   * @param region with {@link AccessRights#MW_BIND}, and no window itself
   * @param stream of the region's domain, the only one that may use the window; or null for all of
   *     the domain
   * @param to Tagged Offset of the first octet in the region
   * @param length in octets, greater than 0
   * @param baseTo Tagged Offset of the first octet in the window, unsigned; {@code baseTo + length}
   *     is below 2^64
   * @param rights bits of {@link AccessRights}, remote ones only; remote writes and atomics need
   *     the region's {@link AccessRights#LOCAL_WRITE}
   * @return the STag, or 0 if the table is full, the region does not allow the binding, or the
   *     window would exceed the region
   */
  public int bind(
      TaggedBuffer region, DomainMember stream, long to, long length, long baseTo, int rights) {
    if (!mayBind(region, stream, to, length, baseTo, rights)) {
      return 0;
    }
    return add(region.domain(), stream, region.addressOf(to), length, baseTo, rights, region);
  }

  static boolean mayBind(
      TaggedBuffer region, DomainMember stream, long to, long length, long baseTo, int rights) {
    boolean fits =
        length > 0
            && !TaggedBuffer.wraps(to, length)
            && !TaggedBuffer.wraps(baseTo, length)
            && region.contains(to, length); // DDP-8.3.1-01
    int writes = AccessRights.REMOTE_WRITE | AccessRights.REMOTE_ATOMIC;
    // DDP-8.3.1-03
    int needed = AccessRights.MW_BIND | ((rights & writes) == 0 ? 0 : AccessRights.LOCAL_WRITE);
    boolean allowed =
        region.region() == null
            && region.valid()
            && region.permits(needed)
            && (rights & ~AccessRights.REMOTE) == 0
            && (stream == null || stream.protectionDomain() == region.domain());
    return fits && allowed;
  }

  /**
   * Creates a window that can be bound repeatedly, each time under a new STag, which is known
   * before the bind.
   *
   * @param domain the domain of the regions that it may be bound to
   * @return the window, or null if the table is full
   */
  public DdpMemoryWindow allocateWindow(ProtectionDomain domain) {
    TaggedBuffer next = new TaggedBuffer(domain);
    return reserve(next) ? new RenamedMemoryWindow(this, next, new TaggedBuffer(domain)) : null;
  }

  /**
   * Creates a window whose binds choose the last octet of its STag.
   *
   * @param domain the domain of the regions that it may be bound to
   * @param forAll whether it is open to all streams of the domain; otherwise to the stream that
   *     binds it
   * @return the window, or null if the table is full
   */
  public DdpMemoryWindow allocateKeyedWindow(ProtectionDomain domain, boolean forAll) {
    if (size + keyed.size() >= capacity) {
      return null;
    }
    int stag = newStag();
    while (stag >>> KEY_BITS == 0 || !isFreeWithAnyKey(stag)) {
      stag = newStag();
    }
    reserveUpperBits(stag);
    TaggedBuffer buffer = new TaggedBuffer(domain);
    buffer.reserve(stag);
    return new KeyedMemoryWindow(this, buffer, forAll);
  }

  private boolean isFreeWithAnyKey(int stag) {
    for (int key = 0; key <= KEY_MASK; key++) {
      if (find(withKey(stag, key)) != null) {
        return false;
      }
    }
    return true;
  }

  /** Replaces the last octet of an STag by {@code key}. */
  static int withKey(int stag, int key) {
    return (stag & ~KEY_MASK) | (key & KEY_MASK);
  }

  /** Enters a buffer under an STag that no other has; false if the table is full. */
  boolean name(TaggedBuffer buffer, int stag) {
    if (size == capacity) {
      return false;
    }
    buffer.reserve(stag);
    table[place(stag)] = buffer;
    size++;
    return true;
  }

  /** Assigns no more STags with these upper bits. */
  void reserveUpperBits(int stag) {
    keyed.add(stag >>> KEY_BITS);
  }

  /** Permits STags with these upper bits to be assigned again. */
  void releaseUpperBits(int stag) {
    keyed.remove(stag >>> KEY_BITS);
  }

  /** Reserves a new STag for a buffer without memory; false if the table is full. */
  boolean reserve(TaggedBuffer buffer) {
    return name(buffer, newStag());
  }

  private int add(
      ProtectionDomain domain,
      DomainMember stream,
      long address,
      long length,
      long baseTo,
      int rights,
      TaggedBuffer region) {
    if (size == capacity) {
      return 0;
    }
    int stag = newStag();
    table[place(stag)] =
        new TaggedBuffer(stag, domain, stream, address, length, baseTo, rights, region);
    size++;
    return stag;
  }

  private int newStag() {
    int stag = random.nextInt(); // RDMAP-8.1.1-08: "in a way difficult to predict"
    while (stag == 0 || find(stag) != null || isKeyed(stag)) {
      stag = random.nextInt();
    }
    return stag;
  }

  /**
   * Whether an STag's upper bits belong to a window whose program chooses the last octet. Allocates
   * only if there are such windows.
   */
  private boolean isKeyed(int stag) {
    return !keyed.isEmpty() && keyed.contains(stag >>> KEY_BITS);
  }

  /**
   * The buffer that {@code stag} names; null if there is none or its region has been invalidated.
   */
  public TaggedBuffer lookup(int stag) {
    TaggedBuffer found = find(stag);
    return found != null && found.valid() ? found : null;
  }

  private TaggedBuffer find(int stag) {
    return table[place(stag)];
  }

  /** Index of an STag's entry, or of an empty entry if it has none. */
  private int place(int stag) {
    int place = stag & mask;
    while (table[place] != null && table[place].stag() != stag) {
      place = place + 1 & mask;
    }
    return place;
  }

  /**
   * Invalidates an STag. After this returns nothing is placed in, or read from, its buffer under
   * that STag.
   *
   * @return whether the STag existed
   */
  public boolean invalidate(int stag) {
    int place = place(stag);
    if (table[place] == null) {
      return false;
    }
    // DDP-8.3-01, DDP-8.3-02, DDP-8.3.1-02, RDMAP-8.1.1-04: "revoke the association"; from here on
    // nothing writes to the buffer (DDP-8.3.1-04).
    table[place].end();
    close(place);
    size--;
    return true;
  }

  /**
   * Invalidates a buffer's STag unless the buffer is already invalid; its STag may name another
   * buffer by now.
   */
  public void invalidate(TaggedBuffer buffer) {
    if (find(buffer.stag()) == buffer) {
      invalidate(buffer.stag());
    }
  }

  /** Number of STags. */
  public int size() {
    return size;
  }

  /** The most STags at a time. */
  public int capacity() {
    return capacity;
  }

  /** Empties an entry and shifts back the following entries that could no longer be found. */
  private void close(int gap) {
    int place = gap;
    for (int next = place + 1 & mask; table[next] != null; next = next + 1 & mask) {
      int home = table[next].stag() & mask;
      if ((next - home & mask) >= (next - place & mask)) {
        table[place] = table[next];
        place = next;
      }
    }
    table[place] = null;
  }

  /**
   * Transfers the STags and the windows. When read, there are none before, and {@link
   * DdpReferences#windows} are those that were written.
   */
  public void transfer(Snapshot snapshot, DdpReferences references) {
    snapshot.begin(TaggedBuffers.class);
    List<TaggedBuffer> written = snapshot.reads() ? List.of() : buffers(references.windows());
    int count = snapshot.number("table", written.size(), 0, Integer.MAX_VALUE);
    List<TaggedBuffer> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(transfer(snapshot, references, snapshot.reads() ? null : written.get(i)));
    }
    references.buffers(all);
    all.forEach(buffer -> buffer.transferRegion(snapshot, references));
    transferWindows(snapshot, references);
    snapshot.end();
  }

  /** The buffers of windows, named or not, and the others. */
  private List<TaggedBuffer> buffers(List<DdpMemoryWindow> windows) {
    Set<TaggedBuffer> all = Collections.newSetFromMap(new IdentityHashMap<>());
    List<TaggedBuffer> inOrder = new ArrayList<>();
    windows.forEach(window -> inOrder.addAll(window.buffers()));
    all.addAll(inOrder);
    for (TaggedBuffer each : table) {
      if (each != null && all.add(each)) {
        inOrder.add(each);
      }
    }
    return inOrder;
  }

  private TaggedBuffer transfer(Snapshot snapshot, DdpReferences references, TaggedBuffer written) {
    TaggedBuffer buffer = TaggedBuffer.transfer(snapshot, references, written);
    boolean isNamed = snapshot.flag("isNamed", written != null && find(buffer.stag()) == buffer);
    if (snapshot.reads() && isNamed) {
      if (find(buffer.stag()) != null || !name(buffer, buffer.stag())) {
        throw snapshot.wrong("an STag is there twice, or there are too many");
      }
    }
    return buffer;
  }

  private void transferWindows(Snapshot snapshot, DdpReferences references) {
    List<DdpMemoryWindow> written = references.windows();
    int count = snapshot.number("windows", written.size(), 0, Integer.MAX_VALUE);
    List<DdpMemoryWindow> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      DdpMemoryWindow window = snapshot.reads() ? null : written.get(i);
      all.add(DdpMemoryWindow.transfer(snapshot, this, references, window));
    }
    references.windows(all);
  }
}
