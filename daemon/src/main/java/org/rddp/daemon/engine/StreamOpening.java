package org.rddp.daemon.engine;

import java.util.concurrent.TimeUnit;
import org.rddp.client.types.Reason;
import org.rddp.group.StackMember;
import org.rddp.ip.HostAddress;
import org.rddp.ipc.linux.Errno;
import org.rddp.mpa.MpaError;
import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.Negotiated;
import org.rddp.mpa.StartupHandler;
import org.rddp.snapshot.References;
import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.NoRouteException;
import org.rddp.tcp.TcpConnection;

/**
 * Opens an octet stream: connects to the sockets-port of the peer's daemon, and again while that
 * has no room, until the time is over. Engine thread only.
 */
final class StreamOpening {
  /** Pauses before the next try, in nanoseconds. */
  private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(20);

  private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(500);

  private final Engine engine;
  private HostAddress remote;
  private int remotePort;
  private long end;
  private final Deadline deadline;
  private OctetStream stream;

  /** That the peer is told; 0: that of TCP. */
  private int localPort;

  private long pause = FIRST_PAUSE;

  /** Null between two tries. */
  private Try current;

  /**
   * Prepares to open a stream.
   *
   * @param remotePort where the peer's program listens
   * @param localPort that the peer is told; 0: that of TCP
   * @param timeout nanoseconds until it has failed
   */
  StreamOpening(Engine engine, HostAddress remote, int remotePort, int localPort, long timeout) {
    this(engine);
    this.remote = remote;
    this.remotePort = remotePort;
    this.localPort = localPort;
    end = engine.tcp().now() + timeout;
  }

  private StreamOpening(Engine engine) {
    this.engine = engine;
    deadline = new Deadline(engine.deadlines(), this::onDue);
  }

  /** One that goes on, of a stream that does; its state follows. */
  static StreamOpening goingOn(Engine engine, OctetStream stream) {
    StreamOpening made = new StreamOpening(engine);
    made.stream = stream;
    return made;
  }

  /**
   * Begins the first try.
   *
   * @param parts of the stream; still the caller's if it is refused
   * @return the stream, which tells the outcome
   */
  OctetStream begin(StreamParts parts) throws RequestRefusedException {
    try {
      stream = OctetStream.outgoing(engine, engine.streams().keeper(), parts, this);
      TcpConnection tcp = connect();
      localPort = localPort == 0 ? tcp.localPort() : localPort;
      stream.ends(new ConnectionEnds(tcp.localAddress(), localPort, remote, remotePort));
      return stream;
    } catch (IllegalStateException e) {
      abort();
      if (stream != null) {
        stream.withdraw();
      }
      Reason reason = e instanceof NoRouteException ? Reason.UNREACHABLE : Reason.LIMIT;
      throw new RequestRefusedException(reason, "cannot connect: " + e.getMessage());
    }
  }

  private TcpConnection connect() {
    current = new Try();
    current.begin();
    TcpConnection tcp = connectFromAnyPort();
    current.tcp = tcp;
    deadline.set(end);
    return tcp;
  }

  private TcpConnection connectFromAnyPort() {
    // The group of the port chooses the engine of the peer.
    int group = StackMember.group((int) stream.parts().number());
    int port = engine.streams().port();
    try {
      return engine.tcp().connectShared(remote, port, group, current.startup);
    } catch (NoRouteException e) {
      throw e;
    } catch (IllegalStateException e) {
      // Of 32 groups, each has 512 ports.
      return engine.tcp().connect(remote, port, current.startup);
    }
  }

  private void onDue() {
    if (current != null || engine.tcp().now() - end >= 0) {
      fail(Errno.ETIMEDOUT);
      return;
    }
    try {
      connect();
    } catch (IllegalStateException e) {
      current = null;
      tryAgain();
    }
  }

  private void tryAgain() {
    current = null;
    long now = engine.tcp().now();
    deadline.set(Math.min(end, now + pause));
    pause = Math.min(2 * pause, LONGEST_PAUSE);
  }

  private void fail(int errno) {
    abort();
    stream.failed(errno);
  }

  /** Gives it up; nothing is told of it. */
  void abort() {
    deadline.clear();
    Try last = current;
    current = null;
    if (last != null && last.tcp != null) {
      last.tcp.abort();
    }
  }

  /** The connection of the present try; null between two. */
  TcpConnection tcp() {
    return current == null ? null : current.tcp;
  }

  /** When it tries again, or is given up. */
  Deadline deadline() {
    return deadline;
  }

  /** Transfers it, and its present try. */
  void transfer(Snapshot snapshot, References<TcpConnection> connections) {
    boolean reads = snapshot.reads();
    snapshot.begin(StreamOpening.class);
    remote = HostAddress.transfer(snapshot, remote);
    remotePort = snapshot.number("remotePort", remotePort);
    localPort = snapshot.number("localPort", localPort);
    end = snapshot.number("end", end);
    pause = snapshot.number("pause", pause);
    deadline.transfer(snapshot, null, null);
    if (snapshot.flag("current", current != null)) {
      current = reads ? new Try() : current;
      current.tcp = connections.require(snapshot, "tcp", current.tcp);
      current.startup =
          MpaTransfer.startup(
              snapshot, current.startup, current.tcp, current, current, stream.ddp());
    }
    snapshot.end();
  }

  /** One connection. */
  private final class Try extends StartupWatch implements StartupHandler {
    private MpaStartup startup;
    private TcpConnection tcp;

    private void begin() {
      int window = stream.parts().memory().receiving().octets();
      byte[] request = new StreamGreeting(remotePort, localPort, window).encode();
      startup = MpaStartup.initiator(stream.mpa(), request, this, this, stream.ddp());
    }

    private boolean isOver() {
      return current != this;
    }

    @Override
    public void onAgreed(Negotiated terms, byte[] privateData) {
      int window = StreamGreeting.readReply(privateData);
      if (isOver()) {
        return;
      }
      current = null;
      deadline.clear();
      stream.agreed(tcp, window);
    }

    @Override
    public void onRejected(byte[] privateData) {
      if (isOver()) {
        return;
      }
      switch (StreamGreeting.readRejection(privateData)) {
        case StreamGreeting.NOBODY -> fail(Errno.ECONNREFUSED);
        case StreamGreeting.NO_ROOM -> {
          tcp.abort();
          tryAgain();
        }
        default -> fail(Errno.EPROTO);
      }
    }

    @Override
    public void onClosed(CloseReason reason) {
      if (isOver()) {
        return;
      }
      switch (reason) {
        case REFUSED -> {
          // Without rddp at the peer there would be no encryption either.
          boolean secured = tcp.secured();
          if (!secured) {
            engine.streams().addStranger(remote);
          }
          current = null;
          fail(secured ? Errno.ECONNREFUSED : Errno.EHOSTDOWN);
        }
        case TIMEOUT -> {
          current = null;
          fail(Errno.ETIMEDOUT);
        }
        default -> {
          if (startup.isAnswered()) {
            current = null;
            fail(Errno.EPROTO);
          } else {
            tryAgain();
          }
        }
      }
    }

    @Override
    public void onError(MpaError error, String detail) {
      engine.counters().startupErrors++;
    }

    @Override
    public void onRequest(MpaStartup asked, byte[] privateData) {
      throw new IllegalStateException("an Initiator gets no Request");
    }
  }
}
