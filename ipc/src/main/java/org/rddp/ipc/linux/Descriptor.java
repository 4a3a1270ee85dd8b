package org.rddp.ipc.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A file descriptor that this process owns and closes exactly once.
 *
 * <p>Thread-safe. The caller of {@link #close()} must make sure that no other thread is about to
 * use the number.
 */
public final class Descriptor implements AutoCloseable {
  private static final int F_DUPFD_CLOEXEC = 1030;
  private static final SystemCall CLOSE = SystemCall.bind("close", "i:i");
  private static final SystemCall FCNTL = SystemCall.bind("fcntl", "i:ii.i");
  private static final SystemCall OPEN = SystemCall.bind("open", "i:li");
  private static final SystemCall FSTAT = SystemCall.bind("fstat", "i:il");
  private static final SystemCall FSTATFS = SystemCall.bind("fstatfs", "i:il");
  private static final long HUGETLBFS_MAGIC = 0x958458f6L;
  private static final int F_DUPFD_QUERY = 1027;
  private static final SystemCall SYSCALL = SystemCall.bind("syscall", "l:l.lllll");
  private static final long KCMP = System.getProperty("os.arch").equals("amd64") ? 312 : 272;
  private static final int KCMP_FILE = 0;
  private static final int O_RDWR_CLOEXEC = 0x80002;
  private static final int CLOSED = -1;

  private final AtomicInteger number;

  private Descriptor(int number) {
    this.number = new AtomicInteger(number);
  }

  /** Wraps an open descriptor, which this object closes from now on. */
  public static Descriptor of(long number) {
    return new Descriptor((int) number);
  }

  /** A descriptor that has been closed. */
  public static Descriptor closed() {
    return new Descriptor(CLOSED);
  }

  /** Duplicates a descriptor that the caller keeps. */
  public static Descriptor duplicate(int number) throws SystemCallException {
    return of(FCNTL.call(number, F_DUPFD_CLOEXEC, 0));
  }

  /** Opens a file for reading and writing. */
  public static Descriptor open(Path file) throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      return of(OPEN.call(arena.allocateFrom(file.toString()).address(), O_RDWR_CLOEXEC));
    } catch (SystemCallException e) {
      throw new SystemCallException("open " + file + " for reading and writing", e.errno());
    }
  }

  /**
   * The kernel's number of the descriptor.
   *
   * @throws IllegalStateException if the descriptor is closed
   */
  public int number() {
    int now = number.get();
    if (now == CLOSED) {
      throw new IllegalStateException("the descriptor is closed");
    }
    return now;
  }

  /** Whether the descriptor is still open. */
  public boolean isOpen() {
    return number.get() != CLOSED;
  }

  /** The file that is open. May wait for the file's server, if it has one. */
  public FileId file() throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      // struct stat begins with device and inode, struct statfs with the type.
      MemorySegment status = arena.allocate(256, 8);
      FSTATFS.call(number(), status.address());
      boolean unique = status.get(ValueLayout.JAVA_LONG, 0) != HUGETLBFS_MAGIC;
      FSTAT.call(number(), status.address());
      return new FileId(
          status.get(ValueLayout.JAVA_LONG, 0), status.get(ValueLayout.JAVA_LONG, 8), unique);
    }
  }

  /**
   * Whether both descriptors came from one call that opened or created the file: one is a duplicate
   * of the other, was inherited, or was passed on a socket. Nobody can make that true of two files.
   *
   * @return false also if the kernel does not tell: before Linux 6.10, where kcmp(2) is forbidden
   */
  public boolean isDuplicateOf(Descriptor other) throws SystemCallException {
    long same = FCNTL.attempt(number(), F_DUPFD_QUERY, other.number());
    if (same >= 0) {
      return same == 1;
    }
    long process = ProcessHandle.current().pid();
    return SYSCALL.attempt(KCMP, process, process, KCMP_FILE, number(), other.number()) == 0;
  }

  /** Duplicates the descriptor: a new number for the same open file. */
  public Descriptor duplicate() throws SystemCallException {
    return duplicate(number());
  }

  /** Closes the descriptor. A second call does nothing. */
  @Override
  public void close() {
    int last = number.getAndSet(CLOSED);
    if (last != CLOSED) {
      // Linux frees the number even if close(2) fails, so the call is not repeated.
      CLOSE.attempt(last);
    }
  }

  @Override
  public String toString() {
    return "descriptor " + number.get();
  }
}
