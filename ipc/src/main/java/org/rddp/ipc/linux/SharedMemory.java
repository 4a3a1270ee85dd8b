package org.rddp.ipc.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A mapped memfd: memory that two processes share and neither can truncate.
 *
 * <p>The size is sealed. An access to a mapping whose file was truncated faults, and a fault in
 * native code or in an intrinsic ends the JVM. So this class maps memory of another process only if
 * its size is sealed.
 *
 * <p>While one process punches a hole, the kernel blocks each thread that touches a page of the
 * hole until the whole hole is punched, and faults if the memory is on huge pages and none is left.
 * Two things forbid holes. Memory that is <em>immutable</em> (FS_IMMUTABLE_FL) can be mapped for
 * writing by everybody who has the descriptor. But the kernel asks for that flag before it waits
 * for the file's lock, so a hole that waits there is punched after the flag was set: it holds only
 * for memory that had it before another process had a descriptor, {@link #createImmutable}.
 * F_SEAL_FUTURE_WRITE refuses every later mapping for writing, too, so it is added after both ends
 * have mapped the memory: {@link #forbidHoles()}.
 *
 * <p>Thread-safe except for {@link #close()}: after it, every access through {@link #address()} or
 * {@link #segment()} ends the JVM. For memory that other threads may still access, use {@link
 * #segment(Arena)} and close the arena first.
 */
public final class SharedMemory implements AutoCloseable {
  private static final int MFD_CLOEXEC = 1;
  private static final int MFD_ALLOW_SEALING = 2;
  private static final int MFD_NOEXEC_SEAL = 8;
  private static final int F_GETFL = 3;
  private static final int O_ACCMODE = 3;
  private static final int O_RDWR = 2;
  private static final int F_ADD_SEALS = 1033;
  private static final int F_GET_SEALS = 1034;
  private static final int F_SEAL_SEAL = 1;
  private static final int F_SEAL_SHRINK = 2;
  private static final int F_SEAL_GROW = 4;
  private static final int F_SEAL_FUTURE_WRITE = 16;
  private static final int PROT_READ = 1;
  private static final int PROT_WRITE = 2;
  private static final int MAP_SHARED = 1;
  private static final int MREMAP_MAYMOVE = 1;
  private static final int MREMAP_FIXED = 2;

  /** Octets copied at a time: the JVM cannot stop a thread within one copy. */
  private static final long COPIED_AT_ONCE = 1 << 20;

  private static final int MADV_POPULATE_WRITE = 23;
  private static final int MLOCK_ONFAULT = 1;
  private static final int SEEK_END = 2;
  private static final long FS_IOC_GETFLAGS = 0x80086601L;
  private static final long FS_IOC_SETFLAGS = 0x40086602L;
  private static final int FS_IMMUTABLE_FL = 0x10;
  private static final int OWNER_ONLY = 0600;

  private static final SystemCall MEMFD_CREATE = SystemCall.bind("memfd_create", "i:li");
  private static final SystemCall FTRUNCATE = SystemCall.bind("ftruncate", "i:il");
  private static final SystemCall FCHMOD = SystemCall.bind("fchmod", "i:ii");
  private static final SystemCall FCNTL = SystemCall.bind("fcntl", "i:ii.i");
  private static final SystemCall IOCTL = SystemCall.bind("ioctl", "i:il.l");
  private static final SystemCall LSEEK = SystemCall.bind("lseek", "l:ili");
  private static final SystemCall MMAP = SystemCall.bind("mmap", "l:lliiil");
  private static final SystemCall MREMAP = SystemCall.bind("mremap", "l:llli.l");
  private static final SystemCall MUNMAP = SystemCall.bind("munmap", "i:ll");
  private static final SystemCall MADVISE = SystemCall.bind("madvise", "i:lli");
  private static final SystemCall MLOCK = SystemCall.bind("mlock", "i:ll");
  private static final SystemCall MLOCK2 = SystemCall.bind("mlock2", "i:lli");

  private final Descriptor descriptor;
  private long address;
  private final long length;

  /** Runs instead of unmapping; null: unmap. */
  private final Runnable whenClosed;

  private boolean closed;

  private SharedMemory(Descriptor descriptor, long address, long length) {
    this(descriptor, address, length, null);
  }

  private SharedMemory(Descriptor descriptor, long address, long length, Runnable whenClosed) {
    this.descriptor = descriptor;
    this.address = address;
    this.length = length;
    this.whenClosed = whenClosed;
  }

  /**
   * Creates zeroed memory that both ends may write.
   *
   * @param name name in /proc, at most 200 octets
   * @param octets size, greater than 0
   */
  public static SharedMemory create(String name, long octets) throws SystemCallException {
    // Not F_SEAL_SEAL: F_SEAL_FUTURE_WRITE follows when the other end has mapped the memory.
    return create(name, octets, F_SEAL_SHRINK | F_SEAL_GROW);
  }

  /**
   * Creates zeroed memory that both ends may write, immutable if the kernel lets this process set
   * the flag: holes are then forbidden from the start, and every process that gets a descriptor can
   * map the memory. That needs CAP_LINUX_IMMUTABLE in the first user namespace, and Linux 6.0.
   * Otherwise the memory is as of {@link #create}.
   *
   * @param name name in /proc, at most 200 octets
   * @param octets size, greater than 0
   */
  public static SharedMemory createImmutable(String name, long octets) throws SystemCallException {
    SharedMemory made = create(name, octets);
    try (Arena arena = Arena.ofConfined()) {
      long flags = arena.allocateFrom(ValueLayout.JAVA_INT, FS_IMMUTABLE_FL).address();
      IOCTL.attempt(made.descriptor.number(), FS_IOC_SETFLAGS, flags);
    }
    return made;
  }

  /** Whether {@link #createImmutable} makes immutable memory in this thread. */
  public static boolean canBeImmutable() throws SystemCallException {
    try (SharedMemory tried = createImmutable("rddp-tried", 1)) {
      return tried.isImmutable();
    }
  }

  /**
   * Creates zeroed memory that only this mapping can write: other holders of the descriptor can map
   * it for reading only.
   *
   * @param name name in /proc, at most 200 octets
   * @param octets size, greater than 0
   */
  public static SharedMemory createForReaders(String name, long octets) throws SystemCallException {
    return create(name, octets, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE);
  }

  private static SharedMemory create(String name, long octets, int seals)
      throws SystemCallException {
    if (octets <= 0) {
      throw new IllegalArgumentException("size of shared memory: " + octets);
    }
    Descriptor descriptor = memfd(name);
    try {
      FCHMOD.call(descriptor.number(), OWNER_ONLY);
      FTRUNCATE.call(descriptor.number(), octets);
      long address =
          MMAP.call(0, octets, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.number(), 0);
      // The seals come last: F_SEAL_FUTURE_WRITE would refuse our own mapping.
      FCNTL.call(descriptor.number(), F_ADD_SEALS, seals);
      return new SharedMemory(descriptor, address, octets);
    } catch (SystemCallException | RuntimeException e) {
      descriptor.close();
      throw e;
    }
  }

  private static Descriptor memfd(String name) throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      long text = arena.allocateFrom(name).address();
      int flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
      // Kernels before 6.3 do not know MFD_NOEXEC_SEAL.
      long number = MEMFD_CREATE.attempt(text, flags | MFD_NOEXEC_SEAL);
      return Descriptor.of(
          number == -Errno.EINVAL ? MEMFD_CREATE.call(text, flags) : checked(number));
    }
  }

  private static long checked(long result) throws SystemCallException {
    if (result < 0) {
      throw new SystemCallException("memfd_create", (int) -result);
    }
    return result;
  }

  /**
   * Maps memory of another process for reading and writing.
   *
   * @param descriptor closed by this object, even if the call fails
   * @throws UnsafeMemoryException if an access could fault: not a memfd, or not sealed; or if holes
   *     cannot be forbidden after this call
   */
  public static SharedMemory map(Descriptor descriptor) throws IOException {
    return map(descriptor, PROT_READ | PROT_WRITE);
  }

  /**
   * Maps memory of another process for reading.
   *
   * @param descriptor closed by this object, even if the call fails
   * @throws UnsafeMemoryException if an access could fault: not a memfd, not sealed, or holes are
   *     not forbidden
   */
  public static SharedMemory mapForReading(Descriptor descriptor) throws IOException {
    return map(descriptor, PROT_READ);
  }

  private static SharedMemory map(Descriptor descriptor, int protection) throws IOException {
    try {
      long length = safeLength(descriptor, (protection & PROT_WRITE) != 0);
      long address = MMAP.call(0, length, protection, MAP_SHARED, descriptor.number(), 0);
      return new SharedMemory(descriptor, address, length);
    } catch (IOException | RuntimeException e) {
      descriptor.close();
      throw e;
    }
  }

  private static long safeLength(Descriptor descriptor, boolean writable) throws IOException {
    long seals = FCNTL.attempt(descriptor.number(), F_GET_SEALS, 0);
    if (seals < 0) {
      throw new UnsafeMemoryException("it is not a memfd that allows sealing");
    }
    int needed = F_SEAL_SHRINK | F_SEAL_GROW;
    if ((seals & needed) != needed) {
      throw new UnsafeMemoryException(
          "its size is not sealed: add F_SEAL_SHRINK and F_SEAL_GROW with fcntl(2)");
    }
    if (writable && (seals & F_SEAL_FUTURE_WRITE) != 0) {
      throw new UnsafeMemoryException(
          "F_SEAL_FUTURE_WRITE, which a registration adds, forbids a further mapping: register the"
              + " memory once, and map it in every process before");
    }
    if (writable && (seals & F_SEAL_SEAL) != 0 && !isImmutable(descriptor)) {
      throw new UnsafeMemoryException(
          "it has F_SEAL_SEAL, so F_SEAL_FUTURE_WRITE cannot be added, which forbids holes: leave"
              + " F_SEAL_SEAL out");
    }
    if (!writable && (seals & F_SEAL_FUTURE_WRITE) == 0) {
      throw new UnsafeMemoryException(
          "a hole could be punched into it: add F_SEAL_FUTURE_WRITE with fcntl(2)");
    }
    long length = LSEEK.call(descriptor.number(), 0, SEEK_END);
    if (length == 0) {
      throw new UnsafeMemoryException("it is empty");
    }
    return length;
  }

  /**
   * Forbids holes for good (F_SEAL_FUTURE_WRITE), once both ends have mapped the memory: from now
   * on no process can punch one, or map the memory for writing. Waits for a hole that is being
   * punched. Leaves immutable memory as it is.
   *
   * @throws SystemCallException if the memory has F_SEAL_SEAL
   */
  public void forbidHoles() throws SystemCallException {
    if (!isImmutable()) {
      seal();
    }
  }

  /** Adds F_SEAL_FUTURE_WRITE as {@link #forbidHoles} does, to immutable memory, too. */
  public void seal() throws SystemCallException {
    FCNTL.call(descriptor.number(), F_ADD_SEALS, F_SEAL_FUTURE_WRITE);
  }

  /** Whether holes are forbidden, and none is being punched. Never waits. */
  public boolean forbidsHoles() throws SystemCallException {
    // Without a lock in the kernel, unlike F_ADD_SEALS and fallocate(2), which wait for each other.
    return (FCNTL.call(descriptor.number(), F_GET_SEALS, 0) & F_SEAL_FUTURE_WRITE) != 0
        || isImmutable();
  }

  /** Whether holes are forbidden by FS_IMMUTABLE_FL, so that processes can map it. Never waits. */
  public boolean isImmutable() {
    return isImmutable(descriptor);
  }

  /**
   * Whether another process that gets the descriptor can map the memory for writing, and no hole
   * can be punched into it. Never waits.
   */
  public boolean canBeMappedAgain() throws SystemCallException {
    return isImmutable()
        && (FCNTL.call(descriptor.number(), F_GET_SEALS, 0) & F_SEAL_FUTURE_WRITE) == 0;
  }

  /** The descriptor must be of a memfd: of other files, the call may wait or do something else. */
  private static boolean isImmutable(Descriptor descriptor) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment flags = arena.allocate(ValueLayout.JAVA_LONG);
      // Memfds of huge pages, and those of kernels before 6.0, have no flags.
      return IOCTL.attempt(descriptor.number(), FS_IOC_GETFLAGS, flags.address()) == 0
          && (flags.get(ValueLayout.JAVA_INT, 0) & FS_IMMUTABLE_FL) != 0;
    }
  }

  /**
   * Allocates the pages of a range and maps them, so that no access to them faults afterwards. May
   * wait for a hole that is being punched.
   *
   * @param offset a multiple of the page size
   * @param octets greater than 0
   * @throws SystemCallException if no memory is left; without this call, an access would end the
   *     process (SIGBUS)
   */
  public void populate(long offset, long octets) throws SystemCallException {
    MADVISE.call(address + offset, octets, MADV_POPULATE_WRITE);
  }

  /**
   * Keeps the pages of a range in memory until it is unmapped.
   *
   * @param offset a multiple of the page size
   * @param octets greater than 0
   * @return false if the limit of locked memory (RLIMIT_MEMLOCK) does not allow it
   */
  public boolean lock(long offset, long octets) {
    return MLOCK.attempt(address + offset, octets) == 0;
  }

  /**
   * Keeps pages in memory from when they are first used. The kernel still has one mapping
   * afterwards, whichever pages are used: it limits their number (vm.max_map_count).
   *
   * @return false if the limit of locked memory, of which this takes the whole length, does not
   *     allow it
   */
  public boolean lockOnUse() {
    return MLOCK2.attempt(address, length, MLOCK_ONFAULT) == 0;
  }

  /** Copies the contents of other memory of the same length. */
  public void copyFrom(SharedMemory other) {
    MemorySegment from = other.segment();
    MemorySegment to = segment();
    for (long at = 0; at < length; at += COPIED_AT_ONCE) {
      MemorySegment.copy(from, at, to, at, Math.min(COPIED_AT_ONCE, length - at));
    }
  }

  /**
   * Moves this mapping to the place of another one of the same length, which is closed by that.
   * Other threads may access the addresses during the call and find either memory. Call it before
   * this memory's address is used elsewhere.
   *
   * @throws SystemCallException if the kernel cannot move it
   */
  public synchronized void replace(SharedMemory other) throws SystemCallException {
    if (other.length != length) {
      throw new IllegalArgumentException(
          "memory of " + length + " octets in the place of " + other.length);
    }
    address = MREMAP.call(address, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, other.address);
    other.closed = true;
    other.descriptor.close();
  }

  /**
   * Shares the mapping with another user, who has a descriptor of the same memfd. This object stays
   * open until that one is closed.
   *
   * @param other a descriptor of the memfd; closed by the new object
   * @param whenClosed runs when the new object is closed, which unmaps nothing
   * @throws UnsafeMemoryException if the other user may not write to the memfd
   */
  public SharedMemory sharedWith(Descriptor other, Runnable whenClosed) throws IOException {
    // Mapping it would check this.
    if ((FCNTL.call(other.number(), F_GETFL, 0) & O_ACCMODE) != O_RDWR) {
      throw new UnsafeMemoryException("its descriptor is not for reading and writing");
    }
    return new SharedMemory(other, address, length, whenClosed);
  }

  /** The memfd, to be passed to another process. It may be closed after that; the mapping stays. */
  public Descriptor descriptor() {
    return descriptor;
  }

  /** Address of the first octet. */
  public long address() {
    return address;
  }

  /** Size in octets. */
  public long length() {
    return length;
  }

  /** The whole memory, without protection against use after {@link #close()}. */
  public MemorySegment segment() {
    return MemorySegment.ofAddress(address).reinterpret(length);
  }

  /** The whole memory. An access after the arena is closed throws instead of ending the JVM. */
  public MemorySegment segment(Arena arena) {
    return MemorySegment.ofAddress(address).reinterpret(length, arena, null);
  }

  /**
   * Closes the descriptor if it is still open, and unmaps the memory. A second call does nothing.
   */
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      descriptor.close();
      if (whenClosed == null) {
        MUNMAP.attempt(address, length);
      } else {
        whenClosed.run();
      }
    }
  }
}
