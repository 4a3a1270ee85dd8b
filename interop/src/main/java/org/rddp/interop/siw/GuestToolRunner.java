package org.rddp.interop.siw;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.rddp.client.Connection;
import org.rddp.client.Listener;
import org.rddp.client.types.PrivateData;
import org.rddp.interop.siw.Guest.Result;

/** Runs a program of ours against a tool in the guest; each run has a TCP port of its own. */
final class GuestToolRunner {
  private static final int FIRST_PORT = 7301;
  private static final int SECONDS = 60;
  private static final int MESSAGE = 16;
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final Guest guest;
  private final Path socket;
  private int nextPort = FIRST_PORT;
  private Connection last;

  /**
   * A runner.
   *
   * @param socket of the daemon
   */
  GuestToolRunner(Guest guest, Path socket) {
    this.guest = guest;
    this.socket = socket;
  }

  /** The part of our client. */
  interface ClientAction {
    void run(SiwProgram program, int port) throws Exception;
  }

  /** Our client and rping as the server. */
  void rpingClient(SiwLink link, int count, int size) throws Exception {
    Rping rping = new Rping(count, size);
    withServer(
        link,
        "rping -s -a " + link.guests() + " -p %d -C " + count + " -S " + size,
        (program, port) ->
            rping.client(program, program.connect(link.guest(port), PrivateData.NONE, MESSAGE)));
  }

  /** Our server and rping as the client. */
  void rpingServer(SiwLink link, int count, int size) throws Exception {
    Rping rping = new Rping(count, size);
    withClient(
        link,
        "rping -c -a " + link.ours() + " -p %d -V -C " + count + " -S " + size,
        rping::server);
  }

  /** Our client and a tool of perftest as the server. */
  void perftestClient(Perftest perftest, SiwLink link) throws Exception {
    withServer(
        link, perftest.command(link), (program, port) -> perftest.client(program, link, port));
  }

  /** Our server and a tool of perftest as the client. */
  void perftestServer(Perftest perftest, SiwLink link) throws Exception {
    withClient(link, perftest.command(link) + " " + link.ours(), perftest::server);
  }

  /**
   * Starts a server in the guest.
   *
   * @param command with %d for the port
   */
  void withServer(SiwLink link, String command, ClientAction ours) throws Exception {
    int port = nextPort++;
    CompletableFuture<Result> theirs = guest.start(0, SECONDS, command.formatted(port));
    try (SiwProgram program = new SiwProgram(socket, link.interfaceName())) {
      run(program, theirs, () -> ours.run(program, port));
    }
    end(theirs);
  }

  /** The part of our server, once it listens. */
  interface ServerAction {
    void run(SiwProgram program, Listener listener) throws Exception;
  }

  /**
   * Starts a client in the guest once we listen.
   *
   * @param command with %d for the port
   */
  void withClient(SiwLink link, String command, ServerAction ours) throws Exception {
    int port = nextPort++;
    CompletableFuture<Result> theirs;
    try (SiwProgram program = new SiwProgram(socket, link.interfaceName())) {
      Listener listener = program.listen(port);
      theirs = guest.start(0, SECONDS, command.formatted(port));
      run(program, theirs, () -> ours.run(program, listener));
    }
    end(theirs);
  }

  private void run(SiwProgram program, CompletableFuture<Result> theirs, SiwCase.Action talk)
      throws Exception {
    try {
      talk.run();
    } catch (IllegalStateException failure) {
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
   * Whether rping was done, but the thread that reads its event channel ended the process with an
   * error, because another thread had closed the channel before. Both ends have checked the data by
   * then.
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
  Connection lastFailedConnection() {
    return last;
  }

  Guest guest() {
    return guest;
  }
}
