package org.rddp.interop.guest;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.rddp.client.Connection;
import org.rddp.client.Listener;
import org.rddp.client.RddpException;
import org.rddp.client.types.PrivateData;
import org.rddp.interop.guest.Guest.Result;

/** Runs a program of ours against a tool in the guest; each run has a TCP port of its own. */
public final class GuestToolRunner {
  private static final int FIRST_PORT = 7301;

  /** TCP ports of each runner. */
  private static final int PORTS = 1000;

  /** How long a tool may take; more than a program of ours waits for it, or a replacement takes. */
  private static final int SECONDS = 600;

  private static final int MESSAGE = 16;
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final Guest guest;
  private final Path socket;
  private final String environment;
  private final int guestPort;
  private int nextPort;
  private Connection last;

  /**
   * A runner.
   *
   * @param socket of the daemon
   * @param environment prefix of each command in the guest: {@code env}, variables and a space, or
   *     nothing
   */
  public GuestToolRunner(Guest guest, Path socket, String environment) {
    this(guest, socket, environment, 0, FIRST_PORT);
  }

  private GuestToolRunner(
      Guest guest, Path socket, String environment, int guestPort, int nextPort) {
    this.guest = guest;
    this.socket = socket;
    this.environment = environment;
    this.guestPort = guestPort;
    this.nextPort = nextPort;
  }

  /** A runner for tools that run at the same time as this one's, on another port of the guest. */
  public GuestToolRunner beside(int otherGuestPort) {
    return new GuestToolRunner(
        guest, socket, environment, otherGuestPort, FIRST_PORT + otherGuestPort * PORTS);
  }

  /** The part of our client. */
  public interface ClientAction {
    void run(HostProgram program, int port) throws Exception;
  }

  /** Our client and rping as the server. */
  public void rpingClient(GuestLink link, int count, int size) throws Exception {
    rpingClient(link, count, size, () -> {});
  }

  /**
   * Our client and rping as the server.
   *
   * @param connected called before the first message
   */
  public void rpingClient(GuestLink link, int count, int size, Runnable connected)
      throws Exception {
    Rping rping = new Rping(count, size);
    withServer(
        link,
        "rping -s -a " + link.guests() + " -p %d -C " + count + " -S " + size,
        (program, port) -> {
          PeerConnection server = program.connect(link.guest(port), PrivateData.NONE, MESSAGE);
          connected.run();
          rping.client(program, server);
        });
  }

  /** Our server and rping as the client. */
  public void rpingServer(GuestLink link, int count, int size) throws Exception {
    Rping rping = new Rping(count, size);
    withClient(
        link,
        "rping -c -a " + link.ours() + " -p %d -V -C " + count + " -S " + size,
        rping::server);
  }

  /** Our client and a tool of perftest as the server. */
  public void perftestClient(Perftest perftest, GuestLink link) throws Exception {
    withServer(
        link, perftest.command(link), (program, port) -> perftest.client(program, link, port));
  }

  /** Our server and a tool of perftest as the client. */
  public void perftestServer(Perftest perftest, GuestLink link) throws Exception {
    withClient(link, perftest.command(link) + " " + link.ours(), perftest::server);
  }

  /**
   * Starts a server in the guest.
   *
   * @param command with %d for the port
   */
  public void withServer(GuestLink link, String command, ClientAction ours) throws Exception {
    int port = nextPort++;
    CompletableFuture<Result> theirs =
        guest.start(guestPort, SECONDS, environment + command.formatted(port));
    try (HostProgram program = new HostProgram(socket, link.interfaceName())) {
      run(program, theirs, () -> ours.run(program, port));
    }
    end(theirs);
  }

  /** The part of our server, once it listens. */
  public interface ServerAction {
    void run(HostProgram program, Listener listener) throws Exception;
  }

  /**
   * Starts a client in the guest once we listen.
   *
   * @param command with %d for the port
   */
  public void withClient(GuestLink link, String command, ServerAction ours) throws Exception {
    int port = nextPort++;
    CompletableFuture<Result> theirs;
    try (HostProgram program = new HostProgram(socket, link.interfaceName())) {
      Listener listener = program.listen(port);
      theirs = guest.start(guestPort, SECONDS, environment + command.formatted(port));
      run(program, theirs, () -> ours.run(program, listener));
    }
    end(theirs);
  }

  private void run(HostProgram program, CompletableFuture<Result> theirs, GuestCase.Action talk)
      throws Exception {
    try {
      talk.run();
    } catch (IllegalStateException | RddpException failure) {
      last = program.firstConnection();
      if (last != null) {
        if (last.isPeerClosed()) {
          last.disconnect();
        }
        if (!last.awaitClosed(TIMEOUT)) {
          last.abort();
        }
      }
      program.close();
      throw new IllegalStateException(failure.getMessage() + "; guest: " + said(theirs), failure);
    }
  }

  private static void end(CompletableFuture<Result> theirs) {
    Result result = theirs.join();
    if (result.status() != 0 && !endedByEventThread(result)) {
      throw new IllegalStateException("in the guest, " + said(theirs));
    }
  }

  /**
   * Whether rping had finished, but its event thread ended the process with an error, because
   * another thread had closed the event channel. Both ends have checked the data by then.
   */
  private static boolean endedByEventThread(Result result) {
    String said = result.output().strip();
    return result.status() == 255
        && said.contains("DISCONNECT EVENT")
        && said.endsWith("rdma_get_cm_event: Bad file descriptor")
        && !said.contains("mismatch");
  }

  private static String said(CompletableFuture<Result> theirs) {
    Result result = theirs.join();
    return "status " + result.status() + ", " + result.brief();
  }

  /** The connection of the last failed run, closed by now; null if there was none. */
  public Connection lastFailedConnection() {
    return last;
  }

  public Guest guest() {
    return guest;
  }
}
