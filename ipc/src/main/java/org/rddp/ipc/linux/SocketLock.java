package org.rddp.ipc.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A lock (flock(2)) for processes of one user that replace a socket in several steps. A process
 * that can open a file can lock it, so the lock is on a file that only the user can open: the
 * socket's path with {@code .lock} appended. The file exists only while it is locked; a process
 * that dies leaves an unlocked file behind, which the next one uses.
 */
public final class SocketLock implements AutoCloseable {
  private static final int O_RDWR = 2;
  private static final int O_CREAT = 0x40;

  /** AArch64 has another value for this flag than x86-64. */
  private static final int O_NOFOLLOW =
      System.getProperty("os.arch").equals("aarch64") ? 0x8000 : 0x20000;

  private static final int O_CLOEXEC = 0x80000;
  private static final int OWNER_ONLY = 0600;
  private static final int LOCK_EX_NB = 6;
  private static final long RETRY = TimeUnit.MILLISECONDS.toNanos(1);
  private static final SystemCall OPEN = SystemCall.bind("open", "i:li.i");
  private static final SystemCall FLOCK = SystemCall.bind("flock", "i:ii");

  private final Path file;
  private final Descriptor opened;

  private SocketLock(Path file, Descriptor opened) {
    this.file = file;
    this.opened = opened;
  }

  /** The file that is locked for a socket. */
  public static Path fileOf(Path socket) {
    return socket.resolveSibling(socket.getFileName() + ".lock");
  }

  /**
   * Takes the lock for a socket.
   *
   * @param timeoutNanos longest wait for another process that has the lock; an interrupt ends the
   *     wait, too
   * @throws SystemCallException if the file cannot be opened, or with {@link Errno#EAGAIN} at the
   *     end of the wait
   */
  public static SocketLock take(Path socket, long timeoutNanos) throws IOException {
    Path file = fileOf(socket);
    long start = System.nanoTime();
    while (true) {
      Descriptor opened = open(file);
      try {
        lock(opened, start, timeoutNanos);
        if (isAt(file, opened)) {
          return new SocketLock(file, opened);
        }
      } catch (IOException | RuntimeException e) {
        opened.close();
        throw e;
      }
      // The process that had the lock has removed this file: others no longer see a lock on it.
      opened.close();
    }
  }

  private static Descriptor open(Path file) throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      long path = arena.allocateFrom(file.toString()).address();
      int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC;
      return Descriptor.of(OPEN.call(path, flags, OWNER_ONLY));
    }
  }

  private static void lock(Descriptor opened, long start, long timeoutNanos)
      throws SystemCallException {
    while (true) {
      long result = FLOCK.attempt(opened.number(), LOCK_EX_NB);
      if (result == 0) {
        return;
      }
      boolean waits = result == -Errno.EAGAIN || result == -Errno.EINTR;
      // An interrupted thread does not park, so it must not try again either.
      if (!waits
          || Thread.currentThread().isInterrupted()
          || System.nanoTime() - start >= timeoutNanos) {
        throw new SystemCallException("flock", (int) -result);
      }
      LockSupport.parkNanos(RETRY);
    }
  }

  private static boolean isAt(Path file, Descriptor opened) throws IOException {
    try {
      Object there =
          Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
              .fileKey();
      Path link = Path.of("/proc/self/fd/" + opened.number());
      return Objects.equals(there, Files.readAttributes(link, BasicFileAttributes.class).fileKey());
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  /** Removes the file and gives the lock up. */
  @Override
  public void close() throws IOException {
    try {
      // Before the descriptor is closed: later, the file may be another process's lock.
      Files.deleteIfExists(file);
    } finally {
      opened.close();
    }
  }
}
