package org.rddp.ipc.control;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.Errno;
import org.rddp.ipc.linux.PollSet;
import org.rddp.ipc.linux.SocketLock;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.linux.UnixSocket;

/**
 * The daemon's listening control socket. Never blocks, except where it is closed: wait for it with
 * a {@link org.rddp.ipc.linux.PollSet}. For use by one thread.
 */
public final class ControlListener implements AutoCloseable {
  /** Programs that have connected and are not accepted yet; net.core.somaxconn limits it, too. */
  private static final int BACKLOG = 512;

  /** Longest wait in ns for another starting daemon. */
  private static final long LOCK_TIMEOUT = TimeUnit.SECONDS.toNanos(5);

  private final Path path;
  private final Descriptor socket;

  /** A connection for whose pidfd there was no descriptor; otherwise null. */
  private Descriptor accepted;

  private boolean removed;

  private ControlListener(Path path, Descriptor socket) {
    this.path = path;
    this.socket = socket;
  }

  /**
   * Creates the socket, and its directory if there is none. A socket left behind by a dead daemon
   * is removed first.
   *
   * @param path an absolute path of at most 107 octets
   * @param permissions mode of the socket; a program needs write permission to connect
   * @throws FileAlreadyExistsException if a daemon listens at the path, the file is not a socket,
   *     or a component of its directory is not a directory
   */
  public static ControlListener bind(Path path, Set<PosixFilePermission> permissions)
      throws IOException {
    return bind(path, permissions, OptionalInt.empty());
  }

  /**
   * Creates the socket as {@link #bind(Path, Set)} does, with a group.
   *
   * @param group id of the socket's group; empty: the process's
   */
  public static ControlListener bind(
      Path path, Set<PosixFilePermission> permissions, OptionalInt group) throws IOException {
    Path directory = path.toAbsolutePath().getParent();
    createDirectory(directory);
    // A daemon that has bound its socket and does not listen yet looks like a dead one to another.
    SocketLock lock = lock(path);
    ControlListener listener = null;
    try {
      listener = bindAlone(path, permissions, group);
    } finally {
      unlock(lock, listener);
    }
    return listener;
  }

  /**
   * Goes on with the socket of a daemon that has handed it over; programs that wait at it are not
   * lost.
   *
   * @param path where it was bound
   * @param socket closed by this object
   */
  public static ControlListener inherit(Path path, Descriptor socket) {
    return new ControlListener(path, socket);
  }

  /**
   * Makes this process the one that programs see at the other end (SO_PEERCRED) and whose end they
   * notice: until then that is the process the socket was inherited from. Programs that have
   * connected before go on seeing the former.
   */
  public void listen() throws SystemCallException {
    UnixSocket.listen(socket, BACKLOG);
  }

  /** Leaves the path to the process that has {@linkplain #inherit inherited} the socket. */
  public void leave() {
    removed = true;
  }

  private static void createDirectory(Path directory) throws IOException {
    for (Path each = directory; each != null; each = each.getParent()) {
      if (Files.exists(each) && !Files.isDirectory(each)) {
        throw new FileAlreadyExistsException(
            each.toString(),
            null,
            "it is not a directory, so the control socket cannot be below it: choose another path");
      }
    }
    Files.createDirectories(directory);
  }

  private static SocketLock lock(Path path) throws IOException {
    try {
      return SocketLock.take(path, LOCK_TIMEOUT);
    } catch (SystemCallException e) {
      String file = SocketLock.fileOf(path).toString();
      if (e.errno() == Errno.EAGAIN) {
        throw new FileAlreadyExistsException(
            file, null, "another process has locked it: start the daemon later");
      }
      throw new FileSystemException(file, null, e.getMessage());
    }
  }

  private static void unlock(SocketLock lock, ControlListener listener) throws IOException {
    try {
      lock.close();
    } catch (IOException | RuntimeException e) {
      if (listener != null) {
        listener.close();
      }
      throw e;
    }
  }

  private static ControlListener bindAlone(
      Path path, Set<PosixFilePermission> permissions, OptionalInt group) throws IOException {
    Descriptor socket = UnixSocket.open();
    try {
      try {
        UnixSocket.bind(socket, path);
      } catch (SystemCallException e) {
        if (e.errno() != Errno.EADDRINUSE) {
          throw new FileSystemException(path.toString(), null, e.getMessage());
        }
        removeStale(path);
        UnixSocket.bind(socket, path);
      }
      // The mode is set before listen(2), so that no program connects before it applies.
      permit(path, permissions, group);
      UnixSocket.listen(socket, BACKLOG);
      return new ControlListener(path, socket);
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  private static void permit(Path path, Set<PosixFilePermission> permissions, OptionalInt group)
      throws IOException {
    if (group.isPresent()) {
      try {
        Files.setAttribute(path, "unix:gid", group.getAsInt());
      } catch (FileSystemException e) {
        throw new FileSystemException(
            path.toString(),
            null,
            "it cannot be given to group %d (%s): root or a member of the group can do that"
                .formatted(group.getAsInt(), e.getReason()));
      }
    }
    Files.setPosixFilePermissions(path, permissions);
  }

  /**
   * Changes who may connect from now on.
   *
   * @param permissions mode of the socket; a program needs write permission to connect
   * @param group id of the socket's group; empty: it stays
   */
  public void permit(Set<PosixFilePermission> permissions, OptionalInt group) throws IOException {
    permit(path, permissions, group);
  }

  private static void removeStale(Path path) throws IOException {
    // connect(2) reports ECONNREFUSED for a plain file, too.
    if (!Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
        .isOther()) {
      throw new FileAlreadyExistsException(
          path.toString(), null, "it is not a socket: remove it, or choose another path");
    }
    Descriptor probe = UnixSocket.open();
    try {
      UnixSocket.connect(probe, path);
    } catch (SystemCallException e) {
      if (e.errno() == Errno.ECONNREFUSED) {
        Files.delete(path);
        return;
      }
      throw e;
    } finally {
      probe.close();
    }
    throw new FileAlreadyExistsException(
        path.toString(), null, "a daemon is already listening there");
  }

  /**
   * Programs that connect from now on can send descriptors only after {@link
   * ControlSocket#permitDescriptors}, where the kernel can forbid it.
   */
  public void forbidDescriptors() {
    UnixSocket.permitDescriptors(socket, false);
  }

  /** Ready when a program wants to connect. */
  public Descriptor descriptor() {
    return socket;
  }

  /**
   * Accepts the next program; null if none is waiting.
   *
   * @throws SystemCallException for example if no descriptors are left; a program that has been
   *     accepted by then is kept for the next call
   */
  public ControlSocket accept() throws SystemCallException {
    if (accepted == null) {
      accepted = UnixSocket.accept(socket);
    }
    if (accepted == null) {
      return null;
    }
    try {
      ControlSocket program = new ControlSocket(accepted);
      accepted = null;
      return program;
    } catch (SystemCallException e) {
      if (e.errno() != Errno.EMFILE && e.errno() != Errno.ENFILE) {
        dropAccepted();
      }
      throw e;
    } catch (RuntimeException | Error e) {
      dropAccepted();
      throw e;
    }
  }

  private void dropAccepted() {
    accepted.close();
    accepted = null;
  }

  /**
   * A program that was accepted and lacks a descriptor, which {@link #accept()} gets for it; null
   * if there is none.
   */
  public Descriptor accepted() {
    return accepted;
  }

  /**
   * Takes a program that another process has accepted, before any other call.
   *
   * @param program closed by this object
   */
  public void inherit(Descriptor program) {
    accepted = program;
  }

  /**
   * Whether a program wants to be accepted: without descriptors, accept(2) fails even if none does.
   */
  public boolean isAwaited() throws SystemCallException {
    PollSet poll = new PollSet();
    poll.add(socket);
    return accepted != null || poll.await(0) > 0;
  }

  /** Removes the socket from the file system, so that no further program finds it. */
  public void remove() throws IOException {
    if (!removed) {
      removed = true;
      Files.deleteIfExists(path);
    }
  }

  /**
   * Stops listening and removes the socket from the file system. A program that was not accepted
   * can make it wait without limit, by the descriptors that it has sent.
   */
  @Override
  public void close() throws IOException {
    if (socket.isOpen()) {
      remove();
      socket.close();
      if (accepted != null) {
        dropAccepted();
      }
    }
  }
}
