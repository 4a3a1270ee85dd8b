package org.rddp.interop.esp;

import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
import org.rddp.client.types.ListSubject;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.ConfigurationException;
import org.rddp.daemon.configuration.ConfigurationFile;
import org.rddp.daemon.configuration.InterfaceConfiguration;
import org.rddp.interop.guest.Guest;
import org.rddp.interop.guest.GuestCase;
import org.rddp.interop.guest.GuestLink;
import org.rddp.interop.guest.GuestToolRunner;
import org.rddp.interop.guest.TestLines;
import org.rddp.interop.guest.ToolCases;
import org.rddp.ip.esp.EspSuite;

/**
 * All cases of rddp's ESP with Linux's; {@code interop/esp/run} starts it.
 *
 * <p>Prints a line "ok ..." or "not ok ..." for each case; the exit code is 1 if one failed.
 */
public final class EspTable {
  private static final int PORTS_OF_GUEST = 4;
  private static final int GUEST_PORT = 1;
  private static final int LARGE_MTU = 9000;
  private static final int COUNT = 10;
  private static final int SHORT_PING = 64;
  private static final int LONGEST_PING = 65535;

  private final Rddp session;
  private final GuestToolRunner tools;
  private final Associations associations;
  private final InjectedPacketCases injected;
  private final List<GuestCase> rows = new ArrayList<>();

  private EspTable(
      Rddp session,
      GuestToolRunner tools,
      Associations associations,
      InjectedPacketCases injected) {
    this.session = session;
    this.tools = tools;
    this.associations = associations;
    this.injected = injected;
  }

  /**
   * Makes the associations, and runs all cases.
   *
   * @param arguments a directory with the daemon's configuration, the guest's ports, and {@code
   *     links}, a line on how each interface is protected; words: only cases whose names contain
   *     them are run; the path of {@code inject}; and how {@code rddp} is run
   */
  public static void main(String[] arguments)
      throws ConfigurationException, IOException, InterruptedException {
    Path directory = Path.of(arguments[0]);
    List<String> add = new ArrayList<>(List.of(arguments).subList(3, arguments.length));
    Configuration configuration = ConfigurationFile.read(directory.resolve("configuration.toml"));
    Path socket = configuration.controlSocket();
    add.addAll(List.of("ipsec", "add", "--socket", socket.toString()));
    TestLines results = new TestLines();
    try (Guest guest = new Guest(directory, PORTS_OF_GUEST);
        Rddp session = Rddp.connect(socket, RddpOptions.defaults().withProgramName("counters"))) {
      EspTable table =
          new EspTable(
              session,
              new GuestToolRunner(guest, socket, ""),
              new Associations(guest, add, directory.resolve("wireshark/esp_sa")),
              new InjectedPacketCases(guest, session, arguments[2], directory));
      List<String> lines = Files.readAllLines(directory.resolve("links"));
      for (int i = 0; i < lines.size(); i++) {
        table.add(configuration.interfaces().get(i), lines.get(i).split(" +"));
      }
      table.rows.removeIf(row -> !row.name().contains(arguments[1]));
      table.rows.forEach(results::make);
    }
    System.exit(results.status());
  }

  /**
   * Protects a link over both families, and adds its cases.
   *
   * @param words name, MTU, suite, {@code esn} or not, and the modes for IPv4 and IPv6
   */
  private void add(InterfaceConfiguration each, String[] words)
      throws IOException, InterruptedException {
    GuestLink ipv4 = GuestLink.of(each, each.mtu() == LARGE_MTU ? "siw1" : "siw0", "siw");
    GuestLink ipv6 = ipv4.overIpv6(each).orElseThrow();
    EspSuite suite = EspSuite.of(words[2]).orElseThrow();
    boolean esn = words[3].equals("esn");
    protect(ipv4, new Protection(suite, esn, words[4].equals("tunnel")));
    protect(ipv6, new Protection(suite, esn, words[5].equals("tunnel")));
  }

  private void protect(GuestLink link, Protection protection)
      throws IOException, InterruptedException {
    associations.protect(link, protection);
    Optional<String> other =
        protection.tunnel() ? Optional.of(associations.addOtherAddress(link)) : Optional.empty();
    List<GuestCase> cases = new ArrayList<>();
    cases.add(GuestCase.of("ping", false, link, () -> ping(link)));
    if (link.guests().contains(":")) {
      cases.addAll(new ToolCases(tools, true).overIpv6(link));
      // perftest has connections over IPv4 only.
      cases.add(longPing(link, true, () -> tools.rpingClient(link, COUNT, LONGEST_PING)));
      cases.add(longPing(link, false, () -> tools.rpingServer(link, COUNT, LONGEST_PING)));
    } else {
      cases.addAll(new ToolCases(tools, true).over(link));
    }
    cases.addAll(injected.over(link, other));
    cases.add(
        GuestCase.of(
            "rping after that", true, link, () -> tools.rpingClient(link, COUNT, SHORT_PING)));
    if (protection.esn()) {
      cases.add(GuestCase.of("numbers beyond 2^32", false, link, () -> expectHighHalf(link)));
    }
    cases.forEach(each -> rows.add(new GuestCase(each.name() + "  " + protection, each.action())));
  }

  private static GuestCase longPing(GuestLink link, boolean weOpen, GuestCase.Action talk) {
    return GuestCase.of(
        "%-12s %4d x %5d octets".formatted("rping", COUNT, LONGEST_PING), weOpen, link, talk);
  }

  /** Fails unless the guest's numbers have needed more than 32 bits. */
  private void expectHighHalf(GuestLink link) throws IOException {
    long greatest =
        session.list(ListSubject.ASSOCIATIONS).stream()
            .map(line -> JsonParser.parseString(line).getAsJsonObject())
            .filter(each -> each.get("destination").getAsString().equals(link.ours()))
            .mapToLong(each -> each.get("sequence").getAsLong())
            .max()
            .orElseThrow();
    if (greatest >>> Integer.SIZE != 1) {
      throw new IllegalStateException("the greatest number received is " + greatest);
    }
  }

  private void ping(GuestLink link) {
    tools.guest().run(GUEST_PORT, "ping -c 1 -W 5 " + link.ours()).orThrow();
  }
}
