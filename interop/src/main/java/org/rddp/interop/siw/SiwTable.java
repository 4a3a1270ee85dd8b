package org.rddp.interop.siw;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.rddp.daemon.ArrivingDaemon;
import org.rddp.daemon.Daemon;
import org.rddp.daemon.DpdkPorts;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.ConfigurationException;
import org.rddp.daemon.configuration.ConfigurationFile;
import org.rddp.daemon.configuration.InterfaceConfiguration;
import org.rddp.daemon.replacement.Successor;
import org.rddp.device.CapturedDevice;
import org.rddp.device.FrameDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.interop.ImpairedLink;
import org.rddp.interop.Impairment;
import org.rddp.interop.guest.Guest;
import org.rddp.interop.guest.GuestCase;
import org.rddp.interop.guest.GuestLink;
import org.rddp.interop.guest.GuestToolRunner;
import org.rddp.interop.guest.TestLines;
import org.rddp.interop.guest.ToolCases;
import org.rddp.interop.siw.WireMonitor.Direction;
import org.rddp.rig.WrappedPorts;

/**
 * All cases of rddp with Linux's siw; {@code interop/siw/run} starts it.
 *
 * <p>Prints a line "ok ..." or "not ok ..." for each case; the exit code is 1 if one failed.
 */
public final class SiwTable {
  private static final int PORTS_OF_GUEST = 4;
  private static final int PACKETS = 4096;
  private static final int FRAME_ROOM = 128;
  private static final int LARGE_MTU = 9000;

  /** Messages of a transfer that is longer than a replacement of the daemon. */
  private static final int LONG_TRANSFER = 400;

  private static final int MESSAGE = 1000;

  private final Path file;
  private final List<InterfaceConfiguration> interfaces;
  private final List<GuestLink> links;
  private final Map<GuestLink, WireMonitor> monitors = new HashMap<>();
  private final List<LongSupplier> lost = new ArrayList<>();
  private final TestLines results = new TestLines();
  private Daemon daemon;

  private SiwTable(Path file, Configuration configuration) {
    this.file = file;
    interfaces = configuration.interfaces();
    links =
        configuration.interfaces().stream()
            .map(each -> GuestLink.of(each, each.mtu() == LARGE_MTU ? "siw1" : "siw0", "siw"))
            .toList();
  }

  /**
   * Runs all cases.
   *
   * @param arguments a directory with the daemon's configuration and the guest's ports; {@code
   *     quick} or {@code full}; how often each case is run; and words: only cases whose names
   *     contain them, spaces ignored, are run
   */
  public static void main(String[] arguments) throws ConfigurationException, IOException {
    Path directory = Path.of(arguments[0]);
    String words = arguments[3];
    Path file = directory.resolve("configuration.toml");
    Configuration configuration = ConfigurationFile.read(file);
    SiwTable table = new SiwTable(file, configuration);
    // DPDK ends with the first ports, so these are no daemon's: another one takes its place.
    DpdkPorts.open(withoutLinks(file));
    WrappedPorts ports = table.wrap(DpdkPorts.openMore(configuration));
    table.daemon = Daemon.start(configuration, ports, System.err);
    try (Guest guest = new Guest(directory, PORTS_OF_GUEST)) {
      GuestToolRunner tools = new GuestToolRunner(guest, configuration.controlSocket(), "");
      List<GuestCase> rows = table.rows(tools, arguments[1].equals("quick"));
      // The next daemon's links lose and spoil nothing.
      GuestCase last = table.replacement(tools);
      Predicate<GuestCase> wanted = row -> oneSpaced(row.name()).contains(oneSpaced(words));
      rows.removeIf(wanted.negate());
      if (rows.isEmpty() && !wanted.test(last)) {
        table.results.report("no case has these words", words);
      }
      for (int time = Integer.parseInt(arguments[2]); time > 0; time--) {
        rows.forEach(table.results::make);
      }
      if (wanted.test(last)) {
        table.results.make(last);
      }
    } finally {
      table.daemon.close();
    }
    long drops = table.lost.stream().mapToLong(LongSupplier::getAsLong).sum();
    boolean enough = drops > 0 || !words.isEmpty();
    table.results.report(
        enough ? "" : "the lossy links lost no frames", drops + " frames lost on purpose");
    System.exit(table.results.status());
  }

  private static Configuration withoutLinks(Path file) throws ConfigurationException, IOException {
    String text = Files.readString(file);
    String own =
        """
        [[interface]]
        name = "none"
        device = "net_null0"
        address = "10.96.0.1/24"
        packets = 1024
        """;
    return ConfigurationFile.parse("none", text.substring(0, text.indexOf("[[interface]]")) + own);
  }

  private static String oneSpaced(String text) {
    return text.replaceAll(" +", " ");
  }

  private List<GuestCase> rows(GuestToolRunner tools, boolean quick) {
    List<GuestCase> rows = new ArrayList<>();
    Map<String, GuestLink> special = new HashMap<>();
    for (int i = 0; i < links.size(); i++) {
      GuestLink link = links.get(i);
      if (monitors.containsKey(link)) {
        special.put(link.kind(), link);
      } else {
        rows.addAll(new ToolCases(tools, quick).over(link));
        link.overIpv6(interfaces.get(i))
            .ifPresent(ipv6 -> rows.addAll(new ToolCases(tools, quick).overIpv6(ipv6)));
      }
    }
    GuestLink spoiled = special.get("spoiled");
    rows.addAll(new StartupCases(tools, special, monitors).all());
    rows.addAll(new SegmentErrorCases(tools, spoiled, monitors.get(spoiled)).all());
    rows.addAll(new PeerFailureCases(tools, spoiled, monitors.get(spoiled)).all());
    return rows;
  }

  /** Another daemon takes the place of ours while siw's rping receives and answers. */
  private GuestCase replacement(GuestToolRunner tools) {
    GuestLink link = links.getFirst();
    return new GuestCase(
        "rddp's daemon is replaced during a transfer to rping",
        () -> {
          FutureTask<Void> replacing = new FutureTask<>(this::replaceDaemon, null);
          tools.rpingClient(link, LONG_TRANSFER, MESSAGE, () -> new Thread(replacing).start());
          replacing.get();
        });
  }

  private void replaceDaemon() {
    try {
      // In one process DPDK's ports have different names, and each interface has two packet
      // sockets, of which the shim would take the first for what wakes the engine.
      String text = Files.readString(file).replace("net_af_packet", "net_af_packet1");
      Configuration next = ConfigurationFile.parse("next", "[engine]\nidle = \"backoff\"\n" + text);
      ArrivingDaemon arriving =
          new ArrivingDaemon(next, () -> DpdkPorts.openMore(next), System.err);
      new Successor(next.controlSocket(), arriving).takeOver();
      daemon.close();
      daemon = arriving.daemon();
    } catch (IOException | ConfigurationException e) {
      throw new IllegalStateException(e);
    }
  }

  private WrappedPorts wrap(DpdkPorts ports) {
    List<FrameDevice> devices = new ArrayList<>();
    for (int i = 0; i < links.size(); i++) {
      devices.add(wrap(links.get(i), ports.devices().get(i), new SplittableRandom(i)));
    }
    return new WrappedPorts(ports, devices, () -> {});
  }

  private FrameDevice wrap(GuestLink link, FrameDevice device, SplittableRandom random) {
    if (link.kind().equals("clean")) {
      return device;
    }
    NativePacketPool near = new NativePacketPool(PACKETS, device.mtu() + FRAME_ROOM);
    if (link.kind().equals("lossy")) {
      return new ImpairedLink(
          device, near, each -> Impairment.LOSS.on(each, random.split(), lost::add));
    }
    WireMonitor monitor = new WireMonitor();
    monitors.put(link, monitor);
    // Frames sent are wrapped first, then frames received.
    Iterator<Direction> ways = List.of(Direction.values()).iterator();
    return new ImpairedLink(
        device,
        near,
        each -> {
          Direction way = ways.next();
          return new CapturedDevice(
              each, (sent, address, length) -> monitor.onFrame(way, address, length));
        });
  }
}
