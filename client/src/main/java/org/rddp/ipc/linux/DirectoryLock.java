package org.rddp.ipc.linux;

import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A lock on a directory (flock(2)), for processes that change a file in it in several steps. It
 * leaves no file behind, and ends with the process.
 */
public final class DirectoryLock implements AutoCloseable {
  private static final int O_RDONLY = 0;
  private static final int O_CLOEXEC = 0x80000;
  private static final int LOCK_EX_NB = 6;
  private static final long RETRY = TimeUnit.MILLISECONDS.toNanos(1);
  private static final SystemCall OPEN = SystemCall.bind("open", "i:li.i");
  private static final SystemCall FLOCK = SystemCall.bind("flock", "i:ii");

  private final Descriptor directory;

  private DirectoryLock(Descriptor directory) {
    this.directory = directory;
  }

  /**
   * Locks a directory.
   *
   * @param timeoutNanos longest wait for another process that has locked it
   * @throws SystemCallException if the directory cannot be opened, or with {@link Errno#EAGAIN} at
   *     the timeout
   */
  public static DirectoryLock take(Path directory, long timeoutNanos) throws SystemCallException {
    Descriptor opened;
    try (Arena arena = Arena.ofConfined()) {
      long path = arena.allocateFrom(directory.toString()).address();
      opened = Descriptor.of(OPEN.call(path, O_RDONLY | O_CLOEXEC, 0));
    }
    long start = System.nanoTime();
    while (true) {
      long result = FLOCK.attempt(opened.number(), LOCK_EX_NB);
      if (result == 0) {
        return new DirectoryLock(opened);
      }
      boolean waits = result == -Errno.EAGAIN || result == -Errno.EINTR;
      if (!waits || System.nanoTime() - start >= timeoutNanos) {
        opened.close();
        throw new SystemCallException("flock", (int) -result);
      }
      LockSupport.parkNanos(RETRY);
    }
  }

  /** Unlocks the directory. */
  @Override
  public void close() {
    directory.close();
  }
}
