package org.rddp.interop.siw;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.rddp.daemon.Daemon;
import org.rddp.daemon.DpdkPorts;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.ConfigurationException;
import org.rddp.daemon.configuration.ConfigurationFile;
import org.rddp.device.FrameDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.interop.ImpairedLink;
import org.rddp.interop.Impairment;
import org.rddp.interop.siw.WireMonitor.Direction;

/**
 * Everything that rddp and Linux's siw say to each other; {@code interop/siw/run} starts it.
 *
 * <p>Prints a line "ok ..." or "not ok ..." for each row; the exit code is 1 if one failed.
 */
public final class SiwTable {
  private static final int PORTS_OF_GUEST = 4;
  private static final int PACKETS = 4096;
  private static final int FRAME_ROOM = 128;

  private final List<SiwLink> links;
  private final Map<SiwLink, WireMonitor> watches = new HashMap<>();
  private final List<LongSupplier> lost = new ArrayList<>();
  private int failed;

  private SiwTable(Configuration configuration) {
    links = configuration.interfaces().stream().map(SiwLink::of).toList();
  }

  /**
   * Makes the table.
   *
   * @param arguments a directory with the daemon's configuration and the guest's ports; {@code
   *     quick} or {@code full}; how often each row is made; and words: only rows that have them,
   *     however far apart their columns, are made
   */
  public static void main(String[] arguments) throws ConfigurationException, IOException {
    Path directory = Path.of(arguments[0]);
    String words = arguments[3];
    Configuration configuration = ConfigurationFile.read(directory.resolve("configuration.toml"));
    SiwTable table = new SiwTable(configuration);
    WrappedPorts ports = table.wrap(DpdkPorts.open(configuration));
    Daemon daemon = Daemon.start(configuration, ports, System.err);
    try (Guest guest = new Guest(directory, PORTS_OF_GUEST)) {
      GuestToolRunner meetings = new GuestToolRunner(guest, configuration.controlSocket());
      List<SiwCase> rows = table.rows(meetings, arguments[1].equals("quick"));
      rows.removeIf(row -> !oneSpaced(row.name()).contains(oneSpaced(words)));
      if (rows.isEmpty()) {
        table.say("no row has them", words);
      }
      for (int time = Integer.parseInt(arguments[2]); time > 0; time--) {
        rows.forEach(table::make);
      }
    } finally {
      daemon.close();
    }
    long drops = table.lost.stream().mapToLong(LongSupplier::getAsLong).sum();
    boolean enough = drops > 0 || !words.isEmpty();
    table.say(enough ? "" : "the lossy links lost none", drops + " frames lost on purpose");
    System.exit(table.failed == 0 ? 0 : 1);
  }

  private static String oneSpaced(String text) {
    return text.replaceAll(" +", " ");
  }

  private List<SiwCase> rows(GuestToolRunner meetings, boolean quick) {
    List<SiwCase> rows = new ArrayList<>();
    Map<String, SiwLink> special = new HashMap<>();
    for (SiwLink link : links) {
      if (watches.containsKey(link)) {
        special.put(link.kind(), link);
      } else {
        rows.addAll(new ToolCases(meetings, quick).over(link));
      }
    }
    SiwLink spoiled = special.get("spoiled");
    rows.addAll(new StartupCases(meetings, special, watches).all());
    rows.addAll(new SegmentErrorCases(meetings, spoiled, watches.get(spoiled)).all());
    rows.addAll(new PeerFailureCases(meetings, spoiled, watches.get(spoiled)).all());
    return rows;
  }

  private WrappedPorts wrap(DpdkPorts ports) {
    List<FrameDevice> devices = new ArrayList<>();
    for (int i = 0; i < links.size(); i++) {
      devices.add(wrap(links.get(i), ports.devices().get(i), new SplittableRandom(i)));
    }
    return new WrappedPorts(ports, devices);
  }

  private FrameDevice wrap(SiwLink link, FrameDevice device, SplittableRandom random) {
    if (link.kind().equals("clean")) {
      return device;
    }
    NativePacketPool near = new NativePacketPool(PACKETS, device.mtu() + FRAME_ROOM);
    if (link.kind().equals("lossy")) {
      return new ImpairedLink(
          device, near, each -> Impairment.LOSS.on(each, random.split(), lost::add));
    }
    WireMonitor watch = new WireMonitor();
    watches.put(link, watch);
    // What leaves is wrapped first, then what comes.
    Iterator<Direction> ways = List.of(Direction.values()).iterator();
    return new ImpairedLink(device, near, each -> new MonitoredDevice(each, watch, ways.next()));
  }

  private void make(SiwCase row) {
    long began = System.nanoTime();
    String complaint = "";
    try {
      row.action().run();
    } catch (Exception failure) {
      complaint = String.valueOf(failure.getMessage());
      failure.printStackTrace();
    }
    say(complaint, "%-64s %6.1f s".formatted(row.name(), (System.nanoTime() - began) / 1e9));
  }

  private void say(String complaint, String what) {
    if (complaint.isEmpty()) {
      System.out.println("ok " + what);
    } else {
      failed++;
      System.out.println("not ok " + what + ": " + complaint);
    }
  }
}
