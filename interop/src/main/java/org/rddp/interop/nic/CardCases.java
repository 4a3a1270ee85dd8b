package org.rddp.interop.nic;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.rddp.interop.guest.GuestCase;
import org.rddp.interop.guest.GuestLink;
import org.rddp.interop.guest.GuestToolRunner;
import org.rddp.interop.guest.Perftest;
import org.rddp.interop.guest.Perftest.Tool;
import org.rddp.interop.nic.CardRow.Column;

/** The cases of one card. */
final class CardCases {
  /** A TCP port without a listener; captures leave it out. */
  private static final int UNUSED_PORT = 9;

  /** The guest's port for a tool beside another. */
  private static final int SECOND_PORT = 1;

  private static final int CONNECTS = 10;
  private static final int TIMEOUT = 10_000;
  private static final int PAUSE = 100;
  private static final int LONG_TRANSFER = 60;
  private static final int MESSAGE = 1000;
  private static final int LONGEST_MESSAGE = 65535;
  private static final String YES = "yes";

  private final GuestToolRunner tools;
  private final GuestToolRunner otherTools;
  private final GuestDaemon daemon;
  private final Monitor monitor;
  private final GuestLink link;
  private final GuestLink ipv6;
  private final Card card;
  private final CardRow row;
  private boolean askedBack;

  /**
   * Cases of a card.
   *
   * @param ipv6 the link by its other addresses
   */
  CardCases(
      GuestToolRunner tools,
      GuestDaemon daemon,
      Monitor monitor,
      GuestLink link,
      GuestLink ipv6,
      Card card) {
    this.tools = tools;
    this.otherTools = tools.beside(SECOND_PORT);
    this.daemon = daemon;
    this.monitor = monitor;
    this.link = link;
    this.ipv6 = ipv6;
    this.card = card;
    this.row = new CardRow(card.name());
  }

  /** The results so far. */
  CardRow row() {
    return row;
  }

  /** The action of a case; returns the table's text. */
  private interface Seen {
    String run() throws Exception;
  }

  /** A conversation. */
  private interface Talk {
    void over(GuestLink link) throws Exception;
  }

  /**
   * Cases that leave the daemon in the guest as it is.
   *
   * @param quick fewer messages
   */
  List<GuestCase> usual(boolean quick) {
    List<GuestCase> rows = new ArrayList<>();
    rows.add(row(Column.IPV4, "link is up, and ping is answered", () -> ping(link)));
    rows.add(row(Column.IPV6, "ping is answered over IPv6", () -> ping(ipv6)));
    rows.add(row(Column.WAKES, "Linux's TCP is refused, and wakes the engine or not", this::wakes));
    rows.add(row(Column.CHECKSUMS, "wrong TCP checksums are dropped and counted", this::checksums));
    if (!quick) {
      rping(Column.IPV4, link, rows, 100, MESSAGE);
    }
    rping(Column.IPV4, link, rows, quick ? 3 : 20, LONGEST_MESSAGE);
    rping(Column.IPV6, ipv6, rows, quick ? 3 : 20, LONGEST_MESSAGE);
    for (Tool tool : quick ? List.of(Tool.WRITE_BANDWIDTH) : List.of(Tool.values())) {
      Perftest perftest = new Perftest(tool, quick ? 5 : 50, MESSAGE);
      String name = name(tool.toString(), quick ? 5 : 50, MESSAGE);
      rows.add(talk(Column.IPV4, name, true, link, over -> tools.perftestClient(perftest, over)));
    }
    if (!card.isBound()) {
      rows.add(row(Column.HOSTS, "the kernels' TCP beside a transfer", this::hosts));
    } else if (card.engines() > 1) {
      rows.add(
          row(Column.STEERING, "answers come to their own engines", () -> steered(link, true)));
      rows.add(
          row(
              Column.IPV6_STEERING,
              card.steersIpv6()
                  ? "the same over IPv6"
                  : "over IPv6, answers come to the first engine",
              () -> steered(ipv6, card.steersIpv6())));
    }
    rows.add(row(Column.CABLE, "cable pulled and put back during a transfer", this::cable));
    return rows;
  }

  /** A connection goes on when another process takes the place of the guest's daemon. */
  GuestCase replaced() {
    String name = "%-52s %s".formatted("daemon replaced during a transfer", card.name());
    return new GuestCase(
        name,
        () ->
            tools.rpingClient(link, LONG_TRANSFER, MESSAGE, () -> daemon.replace(Card.USUAL_MTU)));
  }

  /** Cases with frames longer than usual, both ways. */
  List<GuestCase> large() {
    List<GuestCase> rows = new ArrayList<>();
    rping(Column.LARGE, link.withMtu(Card.LARGE_MTU), rows, 3, LONGEST_MESSAGE);
    rping(Column.LARGE, ipv6.withMtu(Card.LARGE_MTU), rows, 3, LONGEST_MESSAGE);
    return rows;
  }

  /**
   * The daemon reports it, and goes on with the other cards. For one card only: the guest's kernel
   * asks for no other until the first is released.
   */
  GuestCase askedBack() {
    return row(Column.UNPLUGGED, "card asked back, to be unplugged", this::askBack);
  }

  /**
   * The kernel releases the card that was asked back: when the daemon has ended, unless the card
   * was left to the kernel.
   */
  GuestCase given() {
    return afterTheEnd(
        "card unplugged after the daemon's end",
        card.isBound() ? "reported; at the daemon's end" : "seen; at once");
  }

  /** The kernel releases the card, which no process has open. */
  GuestCase unplugged() {
    return afterTheEnd("card unplugged without a daemon", "without a daemon");
  }

  private GuestCase afterTheEnd(String what, String seen) {
    return new GuestCase(
        "%-52s %s".formatted(what, card.name()),
        () ->
            noted(
                Column.UNPLUGGED,
                () -> {
                  if (!askedBack) {
                    monitor.unplug(card.name());
                  }
                  monitor.awaitUnplugged(card.name());
                  return seen;
                }));
  }

  private void rping(Column column, GuestLink over, List<GuestCase> rows, int count, int size) {
    String name = name("rping", count, size);
    rows.add(talk(column, name, true, over, each -> tools.rpingClient(each, count, size)));
    rows.add(talk(column, name, false, over, each -> tools.rpingServer(each, count, size)));
  }

  private static String name(String tool, int count, int size) {
    return "%-12s %4d x %5d octets".formatted(tool, count, size);
  }

  private GuestCase talk(Column column, String name, boolean weOpen, GuestLink over, Talk talk) {
    Seen seen =
        () -> {
          talk.over(over);
          return YES;
        };
    return GuestCase.of(name, weOpen, over, () -> explained(column, seen));
  }

  private GuestCase row(Column column, String what, Seen seen) {
    String name = "%-52s %s".formatted(what, card.name());
    return new GuestCase(name, () -> explained(column, seen));
  }

  /** Adds to a failure what the guest's daemon has counted. */
  private void explained(Column column, Seen seen) throws Exception {
    try {
      noted(column, seen);
    } catch (Exception failure) {
      throw new IllegalStateException(
          failure.getMessage() + "; guest's daemon: " + daemon.state(card.name()), failure);
    }
  }

  private void noted(Column column, Seen seen) throws Exception {
    boolean done = false;
    try {
      row.saw(column, seen.run());
      done = true;
    } finally {
      if (!done) {
        row.failed(column);
      }
    }
  }

  private String ping(GuestLink over) throws IOException {
    daemon.await(card.name(), "port_up", up -> up == 1);
    require(InetAddress.getByName(over.guests()).isReachable(TIMEOUT), "no answer");
    return YES;
  }

  private String wakes() throws IOException {
    daemon.refreshMetrics(card.name());
    long before = daemon.metric(card.name(), "engine_wakes");
    for (int i = 0; i < CONNECTS; i++) {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress(link.guests(), UNUSED_PORT), TIMEOUT);
        throw new IllegalStateException("somebody listens at port " + UNUSED_PORT);
      } catch (ConnectException refused) {
        // Expected.
      }
    }
    daemon.refreshMetrics(card.name());
    long woken = daemon.metric(card.name(), "engine_wakes") - before;
    require(
        // Some frames arrive while the engine still polls.
        card.interrupts() ? woken > 0 : woken == 0,
        CONNECTS + " frames have woken the engine " + woken + " times");
    return String.valueOf(woken);
  }

  private String checksums() throws IOException, InterruptedException {
    for (GuestLink over : List.of(link, ipv6)) {
      daemon.refreshMetrics(card.name());
      long before = daemon.metric(card.name(), "tcp_checksum_errors");
      String script = Path.of(System.getProperty("rddp.nic"), "wrong-checksum").toString();
      Process sender =
          new ProcessBuilder(
                  script,
                  card.name(),
                  card.macAddress(),
                  over.guests(),
                  String.valueOf(UNUSED_PORT))
              .inheritIO()
              .start();
      require(sender.waitFor() == 0, "the frame was not sent");
      daemon.await(card.name(), "tcp_checksum_errors", now -> now == before + 1);
    }
    return YES;
  }

  /**
   * Two programs in the guest connect at the same time, so each gets an engine of its own. All
   * answers of the host arrive at the engine that has asked, or all at the first engine.
   */
  private String steered(GuestLink over, boolean own) {
    daemon.refreshMetrics(card.name());
    long before = daemon.metric(card.name(), "ip_sent_hand_overs");
    List<Long> opened = daemon.metrics(card.name(), "connections_opened");
    List<CompletableFuture<Void>> talks = new ArrayList<>();
    for (GuestToolRunner each : List.of(tools, otherTools)) {
      talks.add(begin(() -> each.rpingServer(over, LONG_TRANSFER, MESSAGE)));
    }
    talks.forEach(CompletableFuture::join);
    daemon.refreshMetrics(card.name());
    long handed = daemon.metric(card.name(), "ip_sent_hand_overs") - before;
    List<Long> now = daemon.metrics(card.name(), "connections_opened");
    for (int i = 0; i < opened.size(); i++) {
      require(now.get(i) > opened.get(i), "engine " + i + " has opened no connection");
    }
    require(own == (handed == 0), handed + " packets were handed over");
    return String.valueOf(handed);
  }

  /** The guest's metrics come by the kernels' TCP while RDMA passes the card, too. */
  private String hosts() throws Exception {
    CompletableFuture<Void> transfer = transfer();
    URL metrics = URI.create("http://" + card.kernelsAddress() + ":9470/metrics").toURL();
    int requests = 0;
    do {
      try (InputStream answer = metrics.openStream()) {
        require(new String(answer.readAllBytes(), UTF_8).contains("rddp_"), "no metrics");
      }
      requests++;
    } while (!transfer.isDone());
    transfer.join();
    return requests + " requests";
  }

  /** Begins a long transfer, and returns when it has a connection. */
  private CompletableFuture<Void> transfer() throws InterruptedException {
    CountDownLatch connected = new CountDownLatch(1);
    CompletableFuture<Void> transfer =
        begin(() -> tools.rpingClient(link, LONG_TRANSFER, MESSAGE, connected::countDown));
    while (!connected.await(PAUSE, TimeUnit.MILLISECONDS)) {
      require(!transfer.isDone(), "no connection");
    }
    return transfer;
  }

  /** The transfer goes on when the cable is back. */
  private String cable() throws Exception {
    CompletableFuture<Void> transfer = transfer();
    monitor.setLink(card.name(), false);
    try {
      daemon.await(card.name(), "port_up", up -> up == 0);
      require(!transfer.isDone(), "the transfer has ended before");
    } finally {
      monitor.setLink(card.name(), true);
    }
    daemon.await(card.name(), "port_up", up -> up == 1);
    transfer.join();
    return "seen, and a transfer went on";
  }

  private String askBack() throws IOException {
    askedBack = true;
    monitor.unplug(card.name());
    daemon.await(card.name(), "port_up", up -> up == 0);
    if (card.isBound()) {
      require(daemon.hasSaid("the card .* is to be removed"), "the daemon does not say so");
    } else {
      monitor.awaitUnplugged(card.name());
    }
    require(daemon.isAlive(), "the daemon has ended");
    return YES;
  }

  private static CompletableFuture<Void> begin(GuestCase.Action talk) {
    return CompletableFuture.runAsync(() -> {
      try {
        talk.run();
      } catch (Exception failure) {
        throw new CompletionException(failure.getMessage(), failure);
      }
    });
  }

  private static void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new IllegalStateException(otherwise);
    }
  }
}
