package org.rddp.client;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import org.rddp.client.types.Reason;
import org.rddp.ipc.control.ControlMessage;
import org.rddp.ipc.control.ControlSocket;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.linux.EventFd;
import org.rddp.ipc.linux.SharedMemory;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.linux.WakeSocket;
import org.rddp.ipc.ring.ProgramRings;

/**
 * The parts of a session that end with its daemon: the control channel, the rings, and the tables
 * of this daemon's numbers.
 */
final class DaemonLink {
  private final Path path;
  private final ControlSocket socket;
  private final ControlChannel channel;
  private final ConnectionTable connections = new ConnectionTable();
  private final NumberedObjects<MemoryWindow> windows = new NumberedObjects<>();
  private final NumberedObjects<SharedReceiveQueue> receiveQueues = new NumberedObjects<>();
  private final SessionEvents events;
  private final Arena arena = Arena.ofShared();
  private DaemonMessage.Welcome welcome;
  private SharedMemory ringMemory;
  private ProgramRings rings;
  private WakeSocket signals;

  private DaemonLink(
      Rddp session, Path path, ControlSocket socket, RddpOptions options, EventFd wake)
      throws IOException {
    this.path = path;
    this.socket = socket;
    this.events = new SessionEvents(session, connections, receiveQueues, wake);
    this.channel = new ControlChannel(socket, options.requestTimeout());
  }

  /**
   * Opens a session with the daemon that answers now.
   *
   * @param wake wakes the session's waiting thread
   * @throws DaemonUnavailableException if there is no usable daemon; the message says what to do
   * @throws RefusedException if the daemon refuses the session
   */
  static DaemonLink open(Rddp session, Path path, RddpOptions options, EventFd wake) {
    ControlSocket socket;
    try {
      socket = ControlSocket.connect(path, TimedWait.bounded(options.requestTimeout()).toNanos());
    } catch (SystemCallException e) {
      throw new DaemonUnavailableException(ConnectAdvice.of(path, e), e);
    }
    DaemonLink link;
    try {
      link = new DaemonLink(session, path, socket, options, wake);
    } catch (IOException e) {
      socket.close();
      throw new DaemonUnavailableException("no session: " + e.getMessage(), e);
    }
    try {
      link.greet(options);
      return link;
    } catch (RefusedException e) {
      link.close();
      if (e.reason() == Reason.VERSION) {
        throw new DaemonUnavailableException(
            "the daemon at %s has another release than this program (control protocol %d): %s"
                .formatted(path, ControlMessage.VERSION, e.getMessage()),
            e);
      }
      throw e;
    } catch (IOException | RuntimeException e) {
      link.close();
      throw new DaemonUnavailableException(
          "no session with the daemon at " + path + ": " + e.getMessage(), e);
    }
  }

  private void greet(RddpOptions options) throws IOException {
    channel.start(events);
    welcome =
        channel.request(
            request ->
                new ProgramMessage.Hello(
                    request,
                    ControlMessage.VERSION,
                    options.programName(),
                    options.interfaceName(),
                    options.sizes()),
            DaemonMessage.Welcome.class);
    events.limits(welcome.limits());
    signals = new WakeSocket(welcome.event());
    ringMemory = SharedMemory.map(welcome.rings());
    SessionMemory.share(channel, ProgramMessage.ShareMemory.RINGS, ringMemory);
    rings = new ProgramRings(ringMemory.segment(arena), signals::signal);
  }

  ControlChannel channel() {
    return channel;
  }

  DaemonMessage.Welcome welcome() {
    return welcome;
  }

  ProgramRings rings() {
    return rings;
  }

  ConnectionTable connections() {
    return connections;
  }

  NumberedObjects<MemoryWindow> windows() {
    return windows;
  }

  NumberedObjects<SharedReceiveQueue> receiveQueues() {
    return receiveQueues;
  }

  SessionEvents events() {
    return events;
  }

  long daemonPid() {
    if (channel.lost() == null) {
      // The credentials of a connection never change.
      try (ControlSocket latest = ControlSocket.connect(path)) {
        return latest.peer().pid();
      } catch (SystemCallException e) {
        // It takes no connections now.
      }
    }
    return socket.peer().pid();
  }

  /** The daemon signals it when there are completions; it wakes the daemon. */
  WakeSocket signals() {
    return signals;
  }

  /** Asks the daemon to end the session, if there is one. */
  void endSession() {
    if (welcome != null && channel.lost() == null) {
      try {
        channel.request(ProgramMessage.CloseSession::new, DaemonMessage.Done.class);
      } catch (RddpException e) {
        // Closing the socket ends the session in the daemon, too.
        socket.close();
      }
    }
    channel.close();
  }

  /** Closes the channel and unmaps the rings; a later access to them throws. */
  void close() {
    channel.close();
    if (arena.scope().isAlive()) {
      arena.close();
    }
    if (ringMemory != null) {
      ringMemory.close();
    }
    if (signals != null) {
      signals.close();
    }
  }
}
