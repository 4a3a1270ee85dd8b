package org.rddp.interop.siw;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.rddp.client.Connection;
import org.rddp.interop.guest.GuestCase;
import org.rddp.interop.guest.GuestLink;
import org.rddp.interop.guest.GuestToolRunner;
import org.rddp.interop.guest.Perftest;
import org.rddp.interop.guest.Perftest.Tool;

/**
 * Failures of siw during a transfer: the program must be told, and other connections still work.
 */
final class PeerFailureCases {
  private static final int MANY = 1 << 20;
  private static final int SIZE = 65536;
  private static final int COUNT = 3;
  private static final int UNDER_WAY = 200;
  private static final long PAUSE = 5_000_000;
  private static final int POLLS = 12_000;
  private static final String KILL = "killall -9 ib_write_bw";
  private static final String CUT =
      "sh -c 'ip link set eth0 down; sleep 1; " + KILL + "; ip link set eth0 up'";

  private final GuestToolRunner tools;
  private final GuestLink link;
  private final WireMonitor monitor;

  /**
   * Cases over a link.
   *
   * @param monitor of the link
   */
  PeerFailureCases(GuestToolRunner tools, GuestLink link, WireMonitor monitor) {
    this.tools = tools;
    this.link = link;
    this.monitor = monitor;
  }

  List<GuestCase> all() {
    Perftest endless = new Perftest(Tool.WRITE_BANDWIDTH, MANY, SIZE);
    return List.of(
        row("ib_write_bw is killed", true, KILL, () -> tools.perftestClient(endless, link)),
        row("ib_write_bw is killed", false, KILL, () -> tools.perftestServer(endless, link)),
        row("siw loses its card", true, CUT, () -> tools.perftestClient(endless, link)),
        row("siw loses its card", false, CUT, () -> tools.perftestServer(endless, link)));
  }

  private GuestCase row(String what, boolean weOpen, String command, GuestCase.Action talk) {
    return GuestCase.of(what, weOpen, link, () -> fail(command, talk));
  }

  private void fail(String command, GuestCase.Action talk) throws Exception {
    monitor.reset();
    CompletableFuture<Boolean> killed = CompletableFuture.supplyAsync(() -> kill(command));
    String failure = "";
    try {
      talk.run();
    } catch (IllegalStateException expected) {
      failure = expected.getMessage();
    }
    Connection connection = tools.lastFailedConnection();
    if (!killed.join() || failure.isEmpty() || connection == null) {
      throw new IllegalStateException("nothing was under way: " + failure);
    }
    if (connection.closeReason() == null) {
      throw new IllegalStateException("the program is not told: " + failure);
    }
    tools.rpingClient(link, COUNT, SIZE / 2);
  }

  /** Runs the command once the transfer is under way; returns whether it was. */
  private boolean kill(String command) {
    for (int i = 0; i < POLLS && monitor.longFrames() < UNDER_WAY; i++) {
      LockSupport.parkNanos(PAUSE);
    }
    tools.guest().run(1, command);
    return monitor.longFrames() >= UNDER_WAY;
  }
}
