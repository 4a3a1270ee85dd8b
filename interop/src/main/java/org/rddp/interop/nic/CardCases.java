package org.rddp.interop.nic;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.rddp.interop.guest.GuestCase;
import org.rddp.interop.guest.GuestLink;
import org.rddp.interop.guest.GuestToolRunner;
import org.rddp.interop.guest.Perftest;
import org.rddp.interop.guest.Perftest.Tool;

/** What one card is put through. */
final class CardCases {
  /** Of TCP, where nobody listens; captures leave it out. */
  private static final int UNUSED_PORT = 9;

  private static final int CONNECTS = 10;
  private static final int CONNECT_TIMEOUT = 10_000;
  private static final int LONG_TRANSFER = 60;
  private static final int MESSAGE = 1000;
  private static final int LONGEST_MESSAGE = 65535;

  private final GuestToolRunner tools;
  private final GuestDaemon daemon;
  private final Monitor monitor;
  private final GuestLink link;
  private final Card card;

  CardCases(GuestToolRunner tools, GuestDaemon daemon, Monitor monitor, GuestLink link, Card card) {
    this.tools = tools;
    this.daemon = daemon;
    this.monitor = monitor;
    this.link = link;
    this.card = card;
  }

  /**
   * Cases that leave the daemon in the guest as it is.
   *
   * @param quick fewer messages
   */
  List<GuestCase> usual(boolean quick) {
    List<GuestCase> rows = new ArrayList<>();
    rows.add(row("link is up", () -> daemon.await(card.name(), "port_up", up -> up == 1)));
    rows.add(row("Linux's TCP is refused, and wakes the engine or not", this::linuxTcp));
    rows.add(row("a wrong TCP checksum is dropped and counted", this::wrongChecksum));
    add(rows, quick);
    rows.add(row("cable pulled and put back during a transfer", this::cable));
    return rows;
  }

  private void add(List<GuestCase> rows, boolean quick) {
    rping(rows, quick ? 10 : 100, MESSAGE);
    rping(rows, quick ? 3 : 20, LONGEST_MESSAGE);
    for (Tool tool : quick ? List.of(Tool.WRITE_BANDWIDTH) : List.of(Tool.values())) {
      Perftest perftest = new Perftest(tool, quick ? 5 : 50, MESSAGE);
      rows.add(
          GuestCase.of(
              name(tool.toString(), quick ? 5 : 50, MESSAGE),
              true,
              link,
              () -> tools.perftestClient(perftest, link)));
    }
  }

  private void rping(List<GuestCase> rows, int count, int size) {
    String name = name("rping", count, size);
    rows.add(GuestCase.of(name, true, link, () -> tools.rpingClient(link, count, size)));
    rows.add(GuestCase.of(name, false, link, () -> tools.rpingServer(link, count, size)));
  }

  private static String name(String tool, int count, int size) {
    return "%-12s %4d x %5d octets".formatted(tool, count, size);
  }

  /** Cases with frames longer than usual, both ways. */
  List<GuestCase> large() {
    GuestLink large = link.withMtu(Card.LARGE_MTU);
    return List.of(
        GuestCase.of(
            "rping, long messages",
            true,
            large,
            () -> tools.rpingClient(large, 3, LONGEST_MESSAGE)),
        GuestCase.of(
            "rping, long messages",
            false,
            large,
            () -> tools.rpingServer(large, 3, LONGEST_MESSAGE)));
  }

  /** The daemon says so, and goes on with the other cards. */
  GuestCase unplugged() {
    return row("card asked back, to be unplugged", this::askBack);
  }

  /** The kernel gives the card up when the daemon has ended. */
  GuestCase given() {
    return row("card unplugged after the daemon's end", () -> monitor.awaitUnplugged(card.name()));
  }

  private void askBack() throws IOException {
    monitor.unplug(card.name());
    daemon.await(card.name(), "port_up", up -> up == 0);
    require(daemon.hasSaid("the card .* is to be removed"), "the daemon does not say so");
    require(daemon.isAlive(), "the daemon has ended");
  }

  private GuestCase row(String what, GuestCase.Action action) {
    return new GuestCase("%-52s %s".formatted(what, card.name()), action);
  }

  private void linuxTcp() throws IOException {
    long before = daemon.metric(card.name(), "engine_wakes");
    for (int i = 0; i < CONNECTS; i++) {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress(link.guests(), UNUSED_PORT), CONNECT_TIMEOUT);
        throw new IllegalStateException("somebody listens at port " + UNUSED_PORT);
      } catch (ConnectException refused) {
        // As it should be.
      }
    }
    long woken = daemon.metric(card.name(), "engine_wakes") - before;
    require(
        card.interrupts() ? woken >= CONNECTS / 2 : woken == 0,
        CONNECTS + " frames have woken the engine " + woken + " times");
  }

  private void wrongChecksum() throws IOException, InterruptedException {
    long before = daemon.metric(card.name(), "tcp_checksum_errors");
    String script = Path.of(System.getProperty("rddp.nic"), "wrong-checksum").toString();
    Process sender =
        new ProcessBuilder(
                script, card.name(), card.macAddress(), link.guests(), String.valueOf(UNUSED_PORT))
            .inheritIO()
            .start();
    require(sender.waitFor() == 0, "the frame was not sent");
    daemon.await(card.name(), "tcp_checksum_errors", now -> now == before + 1);
  }

  /** The transfer goes on when the cable is back. */
  private void cable() throws Exception {
    long opened = daemon.metric(card.name(), "connections_opened");
    CompletableFuture<Void> transfer =
        CompletableFuture.runAsync(() -> {
          try {
            tools.rpingClient(link, LONG_TRANSFER, MESSAGE);
          } catch (Exception failure) {
            throw new IllegalStateException(failure.getMessage(), failure);
          }
        });
    daemon.await(card.name(), "connections_opened", now -> now > opened);
    monitor.setLink(card.name(), false);
    try {
      daemon.await(card.name(), "port_up", up -> up == 0);
    } finally {
      monitor.setLink(card.name(), true);
    }
    daemon.await(card.name(), "port_up", up -> up == 1);
    transfer.join();
  }

  private static void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new IllegalStateException(otherwise);
    }
  }
}
