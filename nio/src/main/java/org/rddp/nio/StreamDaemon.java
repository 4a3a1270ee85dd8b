package org.rddp.nio;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.rddp.client.RefusedException;
import org.rddp.client.streams.ProgramListener;
import org.rddp.client.streams.ProgramStream;
import org.rddp.client.streams.StreamNetwork;
import org.rddp.client.streams.StreamSession;
import org.rddp.ipc.linux.Errno;

/**
 * The daemon of a provider's channels: one session, opened when it is needed, and anew after the
 * daemon has ended. Thread-safe.
 */
final class StreamDaemon {
  /** Time in ns before a daemon that did not answer is looked for again. */
  private static final long NEXT_LOOK = TimeUnit.SECONDS.toNanos(1);

  /** The daemon gives up an attempt to connect after this time at the latest. */
  private static final long LONGEST_CONNECT = TimeUnit.SECONDS.toNanos(127);

  private static final String PROGRAM = "java.nio";

  private final Path path;
  private final Rules rules;
  private final ReentrantLock lock = new ReentrantLock();
  private StreamSession session;
  private List<StreamNetwork> networks;
  private IOException failure;
  private long failedAt;

  /** Those that have lost the daemon. */
  private final Set<StreamListener> later = new HashSet<>();

  /** Whether a thread tries to listen again; under the lock of {@link #later}. */
  private boolean listens;

  StreamDaemon(Path path, Map<String, String> environment) {
    this.path = path;
    rules = new Rules(environment, Kernel::source);
    networks = rules.known();
  }

  Rules rules() {
    return rules;
  }

  /** A request to the daemon. */
  private interface Request<T> {
    T send(StreamSession to) throws IOException;
  }

  private StreamSession open() throws IOException {
    if (session != null) {
      return session;
    }
    if (failure != null && System.nanoTime() - failedAt < NEXT_LOOK) {
      throw failure;
    }
    try {
      StreamSession opened = StreamSession.open(path, PROGRAM);
      try {
        List<StreamNetwork> told = opened.networks();
        networks = told;
      } catch (IOException e) {
        opened.close();
        throw e;
      }
      session = opened;
      failure = null;
      return opened;
    } catch (IOException | RefusedException e) {
      failure = e instanceof IOException failed ? failed : new IOException(e.getMessage(), e);
      failedAt = System.nanoTime();
      throw failure;
    }
  }

  /** Sends a request; to the next daemon if this one has ended. */
  private <T> T ask(Request<T> request) throws IOException {
    lock.lock();
    try {
      boolean wasOpen = session != null;
      try {
        return request.send(open());
      } catch (IOException e) {
        if (!wasOpen || session == null) {
          forget();
          throw e;
        }
        forget();
        return request.send(open());
      }
    } finally {
      lock.unlock();
    }
  }

  /** Its streams keep its memory: only the control connection is closed. */
  private void forget() {
    if (session != null) {
      session.closeControl();
      session = null;
    }
  }

  /**
   * The networks of the daemon's interfaces; without a daemon those of the last one, or those that
   * the environment names.
   */
  List<StreamNetwork> networks() {
    lock.lock();
    try {
      open();
    } catch (IOException e) {
      // Whatever needs the daemon says why there is none.
    } finally {
      lock.unlock();
    }
    return networks;
  }

  /** Says that there was no daemon when it was last looked for; null: there was one. */
  String absence() {
    lock.lock();
    try {
      return failure == null ? null : absence(failure);
    } finally {
      lock.unlock();
    }
  }

  private String absence(IOException e) {
    return "no daemon answers at " + path + ": " + e.getMessage();
  }

  private SocketException unreachable(IOException e) {
    return Failures.caused(new SocketException("Network is down: " + absence(e)), e);
  }

  /** Begins to open a stream. */
  ProgramStream connect(InetSocketAddress to, InetSocketAddress from, long nanos)
      throws IOException {
    Duration timeout = Duration.ofNanos(Math.clamp(nanos, 1_000_000L, LONGEST_CONNECT));
    try {
      return ask(open ->
          open.connect(
              to,
              from == null || from.getAddress().isAnyLocalAddress() ? null : from.getAddress(),
              from == null ? 0 : from.getPort(),
              nanos == 0 ? Duration.ZERO : timeout));
    } catch (RefusedException e) {
      throw Failures.of(e);
    } catch (IOException e) {
      throw Failures.caused(new ConnectException("Network is down: " + absence(e)), e);
    }
  }

  /** Listens. */
  ProgramListener listen(InetSocketAddress at, int backlog, int flags) throws IOException {
    try {
      return ask(open -> open.listen(at, backlog, flags));
    } catch (RefusedException e) {
      throw Failures.of(e);
    } catch (IOException e) {
      throw unreachable(e);
    }
  }

  /** Lets a listener listen again when there is a daemon; a thread tries that until it has. */
  void listenLater(StreamListener lost) {
    synchronized (later) {
      later.add(lost);
      if (!listens) {
        listens = true;
        Thread.ofPlatform().daemon().name("rddp-nio-listeners").start(this::listenAgain);
      }
    }
  }

  /** A listener may be lost anew as soon as it listens again, and is then added again. */
  private void listenAgain() {
    while (true) {
      LockSupport.parkNanos(NEXT_LOOK / 4);
      List<StreamListener> waiting;
      synchronized (later) {
        if (later.isEmpty()) {
          listens = false;
          return;
        }
        waiting = List.copyOf(later);
        later.clear();
      }
      for (StreamListener each : waiting) {
        if (!each.listensAgain()) {
          synchronized (later) {
            later.add(each);
          }
        }
      }
    }
  }

  /** Whether the kernel may be asked after this failure of a connection. */
  static boolean isAnswerOfHostWithoutListener(int errno) {
    return errno == Errno.EHOSTDOWN || errno == Errno.ECONNREFUSED;
  }
}
