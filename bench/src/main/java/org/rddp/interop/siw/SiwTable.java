package org.rddp.interop.siw;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.rddp.daemon.Daemon;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.ConfigurationException;
import org.rddp.daemon.configuration.ConfigurationFile;
import org.rddp.daemon.device.DpdkPorts;
import org.rddp.device.FrameDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.interop.BadLink;
import org.rddp.interop.Impairment;

/**
 * Everything that rddp and Linux's siw say to each other; {@code interop/siw/run} starts it.
 *
 * <p>Prints a line "ok ..." or "not ok ..." for each row; the exit code is 1 if one failed.
 */
public final class SiwTable {
  private static final int PORTS_OF_GUEST = 4;
  private static final int PACKETS = 4096;
  private static final int FRAME_ROOM = 128;

  private final List<LongSupplier> lost = new ArrayList<>();
  private int failed;

  private SiwTable() {}

  /**
   * Makes the table.
   *
   * @param arguments a directory with the daemon's configuration and the guest's ports; {@code
   *     quick} or {@code full}
   */
  public static void main(String[] arguments)
      throws ConfigurationException, IOException, InterruptedException {
    Path directory = Path.of(arguments[0]);
    Configuration configuration = ConfigurationFile.read(directory.resolve("configuration.toml"));
    SiwTable table = new SiwTable();
    WrappedPorts ports = table.wrap(DpdkPorts.open(configuration), configuration);
    Daemon daemon = Daemon.start(configuration, ports, System.err);
    try (Guest guest = new Guest(directory, PORTS_OF_GUEST)) {
      List<Link> links = configuration.interfaces().stream().map(Link::of).toList();
      Rows rows =
          new Rows(guest, configuration.controlSocket(), links, arguments[1].equals("quick"));
      for (Row row : rows.all()) {
        table.make(row);
      }
    } finally {
      daemon.close();
    }
    long drops = table.lost.stream().mapToLong(LongSupplier::getAsLong).sum();
    table.say(drops > 0 ? "" : "the lossy links lost none", drops + " frames lost on purpose");
    System.exit(table.failed == 0 ? 0 : 1);
  }

  private WrappedPorts wrap(DpdkPorts ports, Configuration configuration) {
    List<FrameDevice> devices = new ArrayList<>();
    for (int i = 0; i < ports.devices().size(); i++) {
      FrameDevice device = ports.devices().get(i);
      boolean lossy = Link.of(configuration.interfaces().get(i)).kind().equals("lossy");
      SplittableRandom random = new SplittableRandom(i);
      devices.add(
          lossy
              ? new BadLink(
                  device,
                  new NativePacketPool(PACKETS, device.mtu() + FRAME_ROOM),
                  each -> Impairment.LOSS.on(each, random.split(), lost::add))
              : device);
    }
    return new WrappedPorts(ports, devices);
  }

  private void make(Row row) throws InterruptedException {
    long began = System.nanoTime();
    String complaint = "";
    try {
      row.conversation().run();
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
