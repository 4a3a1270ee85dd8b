package org.rddp.client;

import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.rddp.ipc.control.ControlListener;
import org.rddp.ipc.control.ControlSocket;
import org.rddp.ipc.linux.EventFd;
import org.rddp.ipc.linux.PollSet;
import org.rddp.ipc.ring.Counter;
import org.rddp.ipc.ring.Counters;

/**
 * A daemon without a network: sessions use a real socket and real memory, connections lead from one
 * session to another. It can also run as a process of its own, which tests kill.
 */
final class FakeDaemon implements AutoCloseable {
  /** Longest sleep when idle: the interval at which it polls the rings. */
  private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final ControlListener listener;
  private final EventFd stop = EventFd.create();
  private final Thread thread;
  private final List<FakeSession> sessions = new ArrayList<>();
  private final Counter accepted;
  private volatile boolean stopping;
  private volatile boolean deaf;
  private volatile int sessionCount;
  private volatile String lastEnd = "";

  /** The listeners of all sessions by port. */
  final Map<Integer, FakeSession> ports = new HashMap<>();

  final Counters counters = Counters.create(16);
  int lastPort = 40_000;

  private FakeDaemon(Path socket) throws IOException {
    listener = ControlListener.bind(socket, PosixFilePermissions.fromString("rw-------"));
    accepted = counters.add("sessions accepted");
    thread = Thread.ofPlatform().name("test-daemon").unstarted(this::run);
  }

  static FakeDaemon start(Path socket) throws IOException {
    FakeDaemon daemon = new FakeDaemon(socket);
    daemon.thread.start();
    return daemon;
  }

  /**
   * Runs the daemon as a process. Its argument is the socket's path; it prints a line when it is
   * ready.
   */
  public static void main(String[] arguments) throws Exception {
    FakeDaemon daemon = start(Path.of(arguments[0]));
    System.out.println("ready");
    daemon.thread.join();
  }

  /** Number of open sessions. */
  int sessionCount() {
    return sessionCount;
  }

  /** Reason of the last session's end. */
  String lastEnd() {
    return lastEnd;
  }

  /** Stops handling requests. */
  void turnDeaf() {
    deaf = true;
    stop.signal();
  }

  private void run() {
    PollSet poll = new PollSet();
    try {
      while (!stopping) {
        poll.clear();
        poll.add(stop.descriptor());
        poll.add(listener.descriptor());
        sessions.forEach(session -> session.addTo(poll));
        poll.await(work() ? 0 : IDLE_NANOS);
        acceptAll();
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    } finally {
      List.copyOf(sessions).forEach(session -> end(session, "the daemon stops"));
    }
  }

  private void acceptAll() throws IOException {
    ControlSocket socket = listener.accept();
    while (socket != null) {
      accepted.increment();
      sessions.add(new FakeSession(this, socket));
      sessionCount = sessions.size();
      socket = listener.accept();
    }
  }

  private boolean work() {
    boolean worked = false;
    for (FakeSession session : List.copyOf(sessions)) {
      try {
        worked |= !deaf && session.work();
      } catch (IOException e) {
        end(session, e.toString());
      }
    }
    return worked;
  }

  private void end(FakeSession session, String why) {
    session.end();
    sessions.remove(session);
    lastEnd = why;
    sessionCount = sessions.size();
  }

  @Override
  public void close() throws IOException {
    if (stopping) {
      return;
    }
    stopping = true;
    stop.signal();
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    listener.close();
    stop.close();
    counters.close();
  }
}
