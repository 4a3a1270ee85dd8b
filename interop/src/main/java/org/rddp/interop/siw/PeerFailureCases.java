package org.rddp.interop.siw;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.rddp.client.Connection;
import org.rddp.interop.siw.Perftest.Tool;

/** The other side dies in the middle of a transfer: we hear of it, and all else goes on. */
final class PeerFailureCases {
  private static final int MANY = 1 << 20;
  private static final int SIZE = 65536;
  private static final int COUNT = 3;
  private static final int UNDER_WAY = 200;
  private static final long LOOK = 5_000_000;
  private static final int LOOKS = 4000;
  private static final String KILL = "killall -9 ib_write_bw";
  private static final String CUT =
      "sh -c 'ip link set eth0 down; sleep 1; " + KILL + "; ip link set eth0 up'";

  private final GuestToolRunner meetings;
  private final SiwLink link;
  private final WireMonitor watch;

  /**
   * Over a link.
   *
   * @param watch that watches it
   */
  PeerFailureCases(GuestToolRunner meetings, SiwLink link, WireMonitor watch) {
    this.meetings = meetings;
    this.link = link;
    this.watch = watch;
  }

  List<SiwCase> all() {
    Perftest endless = new Perftest(Tool.WRITE_BANDWIDTH, MANY, SIZE);
    return List.of(
        row("ib_write_bw is killed", true, KILL, () -> meetings.perftestClient(endless, link)),
        row("ib_write_bw is killed", false, KILL, () -> meetings.perftestServer(endless, link)),
        row("siw loses its card", true, CUT, () -> meetings.perftestClient(endless, link)),
        row("siw loses its card", false, CUT, () -> meetings.perftestServer(endless, link)));
  }

  private SiwCase row(String what, boolean weOpen, String command, SiwCase.Action talk) {
    return SiwCase.of(what, weOpen, link, () -> die(command, talk));
  }

  private void die(String command, SiwCase.Action talk) throws Exception {
    watch.reset();
    CompletableFuture<Boolean> death = CompletableFuture.supplyAsync(() -> kill(command));
    String failure = "";
    try {
      talk.run();
    } catch (IllegalStateException expected) {
      failure = expected.getMessage();
    }
    Connection connection = meetings.lastFailedConnection();
    if (!death.join() || failure.isEmpty() || connection == null) {
      throw new IllegalStateException("nothing was under way: " + failure);
    }
    if (connection.closeReason() == null) {
      throw new IllegalStateException("the program does not hear of it: " + failure);
    }
    meetings.rpingClient(link, COUNT, SIZE / 2);
  }

  /** Once the transfer is under way; returns whether it has been. */
  private boolean kill(String command) {
    for (int i = 0; i < LOOKS && watch.longFrames() < UNDER_WAY; i++) {
      LockSupport.parkNanos(LOOK);
    }
    meetings.guest().run(1, command);
    return watch.longFrames() >= UNDER_WAY;
  }
}
