package org.rddp.daemon.replacement;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.EventFd;
import org.rddp.ipc.linux.PollSet;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.linux.UnixSocket;

/**
 * Where a daemon listens for one that wants to take its place: beside the control socket, for its
 * own user only. Nobody else may ask, not even root.
 */
final class ReplacementSocket implements AutoCloseable {
  private static final int BACKLOG = 4;

  private final Path path;
  private final Descriptor socket;
  private final EventFd end = EventFd.create();
  private final PollSet asked = new PollSet();
  private final int user;

  private ReplacementSocket(Path path, Descriptor socket, int user) throws SystemCallException {
    this.path = path;
    this.socket = socket;
    this.user = user;
    asked.add(socket);
    asked.add(end.descriptor());
  }

  /** The path for a control socket's. */
  static Path pathFor(Path control) {
    return control.resolveSibling(control.getFileName() + ".next");
  }

  /**
   * Begins to listen, in the place of a former daemon's socket.
   *
   * @param control the control socket, which this process alone has
   */
  static ReplacementSocket bind(Path control) throws IOException {
    Path path = pathFor(control);
    Descriptor socket = UnixSocket.open();
    try {
      Files.deleteIfExists(path);
      UnixSocket.bind(socket, path);
      // Before listen(2): nobody connects until then.
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
      int user = (int) Files.getAttribute(path, "unix:uid");
      UnixSocket.listen(socket, BACKLOG);
      return new ReplacementSocket(path, socket, user);
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  /**
   * Waits for a process that asks.
   *
   * @return null if {@link #wake} has been called, or somebody else than this daemon's user has
   *     asked
   */
  ReplacementChannel accept() throws SystemCallException {
    asked.await(-1);
    Descriptor accepted = UnixSocket.accept(socket);
    if (accepted == null) {
      return null;
    }
    ReplacementChannel channel = new ReplacementChannel(accepted, end.descriptor());
    if (channel.peer().uid() == user) {
      return channel;
    }
    try (channel) {
      channel.refuse(
          "only the user of the daemon that runs can replace it, uid %d, and this process has uid %d"
              .formatted(user, channel.peer().uid()));
    }
    return null;
  }

  /** Ends the wait of {@link #accept}, now and later. Any thread. */
  void wake() {
    end.signal();
  }

  /** Stops listening, and leaves the path to a daemon that has taken this one's place. */
  void leave() {
    socket.close();
  }

  @Override
  public void close() throws IOException {
    if (socket.isOpen()) {
      Files.deleteIfExists(path);
      socket.close();
    }
    end.close();
  }
}
