package org.rddp.interop.nic;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.rddp.daemon.Daemon;
import org.rddp.daemon.DpdkPorts;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.ConfigurationException;
import org.rddp.daemon.configuration.ConfigurationFile;
import org.rddp.daemon.configuration.InterfaceConfiguration;
import org.rddp.interop.guest.Guest;
import org.rddp.interop.guest.GuestCase;
import org.rddp.interop.guest.GuestLink;
import org.rddp.interop.guest.GuestToolRunner;
import org.rddp.interop.guest.TestLines;

/**
 * All cases of rddp on emulated network cards; {@code interop/nic/run} starts it.
 *
 * <p>The daemon here and the one in the guest are joined by the taps of the cards. Prints a line
 * "ok ..." or "not ok ..." for each case; the exit code is 1 if one failed.
 */
public final class NicTable {
  private static final int PORTS_OF_GUEST = 4;

  private final TestLines results = new TestLines();
  private final GuestDaemon daemon;
  private final List<CardCases> cards = new ArrayList<>();
  private final boolean quick;

  private NicTable(GuestDaemon daemon, boolean quick) {
    this.daemon = daemon;
    this.quick = quick;
  }

  /**
   * Runs all cases.
   *
   * @param arguments a directory with this daemon's configuration, those of the guest's, the
   *     guest's ports and QEMU's monitor; {@code quick} or {@code full}; and the prefix of an RDMA
   *     program's command in the guest
   */
  public static void main(String[] arguments) throws ConfigurationException, IOException {
    Path directory = Path.of(arguments[0]);
    Configuration configuration = ConfigurationFile.read(directory.resolve("configuration.toml"));
    Daemon ours = Daemon.start(configuration, DpdkPorts.open(configuration), System.err);
    int status;
    try (Guest guest = new Guest(directory, PORTS_OF_GUEST);
        Monitor monitor = new Monitor(directory.resolve("qmp"))) {
      GuestDaemon daemon = new GuestDaemon(guest, directory);
      GuestToolRunner tools =
          new GuestToolRunner(guest, configuration.controlSocket(), arguments[2] + " ");
      NicTable table = new NicTable(daemon, arguments[1].equals("quick"));
      for (InterfaceConfiguration each : configuration.interfaces()) {
        Card card = new Card(each.name(), table.cards.size() + 1);
        GuestLink link =
            GuestLink.of(each, "rddp" + table.cards.size(), each.name()).withMtu(Card.USUAL_MTU);
        GuestLink ipv6 = link.overIpv6(each).orElseThrow();
        table.cards.add(new CardCases(tools, daemon, monitor, link, ipv6, card));
      }
      status = table.run();
      System.err.println(daemon.said());
    } finally {
      ours.close();
    }
    System.exit(status);
  }

  private int run() {
    if (!quick) {
      make("daemon --check --devices", this::check);
    }
    make("daemon on all cards", this::start);
    if (results.status() != 0) {
      return results.status();
    }
    cards.forEach(each -> each.usual(quick).forEach(results::make));
    if (!quick) {
      // The daemon has all cards.
      results.make(cards.getFirst().replaced());
    }
    make("daemon killed, and started with MTU 9000", this::restart);
    cards.forEach(each -> each.large().forEach(results::make));
    results.make(cards.getLast().askedBack());
    List<CardCases> others = cards.subList(0, cards.size() - 1);
    others.forEach(each -> each.large().forEach(results::make));
    make("daemon killed with a card asked back", daemon::kill);
    results.make(cards.getLast().given());
    others.forEach(each -> results.make(each.unplugged()));
    System.out.println(CardRow.heads());
    cards.forEach(each -> System.out.println(each.row()));
    return results.status();
  }

  private void start() {
    daemon.start(Card.USUAL_MTU);
    List<String> said = daemon.interfaces();
    cards.forEach(each -> each.row().readLog(said));
  }

  private void check() {
    List<String> found = daemon.check(Card.USUAL_MTU);
    found.forEach(System.out::println);
    if (found.size() != cards.size()) {
      throw new IllegalStateException("not every card is there");
    }
  }

  private void restart() {
    daemon.kill();
    daemon.start(Card.LARGE_MTU);
  }

  private void make(String what, GuestCase.Action action) {
    results.make(new GuestCase(what, action));
  }
}
