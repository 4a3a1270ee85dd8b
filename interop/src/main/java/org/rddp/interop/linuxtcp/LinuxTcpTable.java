package org.rddp.interop.linuxtcp;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.rddp.daemon.DpdkPorts;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.ConfigurationException;
import org.rddp.daemon.configuration.ConfigurationFile;
import org.rddp.device.FrameDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.device.PacketPool;
import org.rddp.dpdk.Eal;
import org.rddp.interop.FrameFile;
import org.rddp.interop.ImpairedLink;
import org.rddp.interop.Impairment;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Address;

/**
 * Transfers between our TCP and Linux's: on every interface of a configuration and on a large tap,
 * each side opening, each side sending, over a clean link and every impairment, and with each
 * option refused by each side. {@code interop/linux-tcp/run} starts it.
 *
 * <p>Prints a line "ok ..." or "not ok ..." for each; the exit code is 1 if one failed.
 */
public final class LinuxTcpTable {
  private static final int FIRST_PORT = 7001;
  private static final int PACKETS = 2048;
  private static final int FRAME_ROOM = 128;
  private static final int LARGE_MTU = 9000;
  private static final long TAP_MAC = 0x02_00_00_00_00_63L;

  private final LinuxPeer peer;
  private final FrameFile capture;
  private final int frames;
  private final long cleanOctets;
  private final long impairedOctets;
  private final Map<Integer, PacketPool> near = new HashMap<>();
  private final Map<Impairment, Long> done = new EnumMap<>(Impairment.class);
  private int port = FIRST_PORT;
  private int failed;

  private LinuxTcpTable(LinuxPeer peer, FrameFile capture, String[] arguments) {
    this.peer = peer;
    this.capture = capture;
    frames = Integer.parseInt(arguments[2]);
    cleanOctets = Long.parseLong(arguments[3]);
    impairedOctets = Long.parseLong(arguments[4]);
  }

  /**
   * Runs all transfers.
   *
   * @param arguments as the usage below says
   */
  public static void main(String[] arguments)
      throws ConfigurationException, IOException, InterruptedException {
    if (arguments.length < 9) {
      throw new IllegalArgumentException(
          "usage: CONFIGURATION PCAP FRAMES CLEAN-OCTETS IMPAIRED-OCTETS LARGE-TAP ITS-ADDRESS"
              + " COMMAND-ONCE-UP PEER...");
    }
    Configuration configuration = ConfigurationFile.read(Path.of(arguments[0]));
    LinuxTcpTable table;
    try (DpdkPorts ports = DpdkPorts.open(configuration);
        FrameDevice tap = new LinuxTap(arguments[5], pool(LARGE_MTU), TAP_MAC, LARGE_MTU);
        FrameFile capture =
            new FrameFile(Path.of(arguments[1]), () -> System.currentTimeMillis() * 1_000_000);
        LinuxPeer peer = new LinuxPeer(Arrays.asList(arguments).subList(8, arguments.length))) {
      Eal.registerThread();
      run(arguments[7]);
      List<LinuxLink> links = new ArrayList<>();
      for (int i = 0; i < ports.devices().size(); i++) {
        links.addAll(LinuxLink.of(configuration.interfaces().get(i), ports.devices().get(i)));
      }
      Ipv4Address address = Ipv4Address.parse(arguments[6]);
      links.add(new LinuxLink(arguments[5], tap, new InterfaceAddress(address, 24)));
      table = new LinuxTcpTable(peer, capture, arguments);
      table.make(links);
    }
    System.exit(table.failed == 0 ? 0 : 1);
  }

  private static void run(String command) throws IOException, InterruptedException {
    int status = new ProcessBuilder(command.split(" ")).inheritIO().start().waitFor();
    if (status != 0) {
      throw new IOException(command + " ended with " + status);
    }
  }

  private static NativePacketPool pool(int mtu) {
    return new NativePacketPool(PACKETS, mtu + FRAME_ROOM);
  }

  private void make(List<LinuxLink> links) throws IOException, InterruptedException {
    System.out.printf(
        "   %-10s  %-5s %-5s  %-15s  %-19s %6s %6s %8s%n",
        "link", "opens", "sends", "", "", "MiB", "Gb/s", "resent");
    for (TransferCase row : TransferCase.table(links)) {
      row(row);
    }
    done.forEach((impairment, count) ->
        report(count > 0 ? "" : "never happened", impairment + ": " + count + " frames"));
  }

  private void row(TransferCase row) throws IOException, InterruptedException {
    boolean clean = row.impairment() == Impairment.CLEAN;
    long octets = clean ? cleanOctets : impairedOctets;
    for (NegotiatedOption option : NegotiatedOption.values()) {
      peer.set(option.setting(), row.linuxOffers(option) ? "1" : "0");
    }
    // Wireshark would miss the checksums that the link is to compute.
    int sampled = row.link().offloads() ? 0 : frames;
    FrameDevice device = new SampledDevice(row.link().device(), capture, sampled);
    List<LongSupplier> tally = new ArrayList<>();
    if (!clean) {
      SplittableRandom random = new SplittableRandom(port);
      device =
          new ImpairedLink(
              device,
              near.computeIfAbsent(device.mtu(), LinuxTcpTable::pool),
              each -> row.impairment().on(each, random.split(), tally::add));
    }
    LinuxTransfer transfer = new LinuxTransfer(row, device, peer, octets, port);
    String complaint = transfer.run(port++);
    device.close();
    if (!clean) {
      long counted = tally.stream().mapToLong(LongSupplier::getAsLong).sum();
      done.merge(row.impairment(), counted, Long::sum);
    }
    if (!complaint.isEmpty()) {
      peer.restart();
    }
    report(complaint, row + (complaint.isEmpty() ? transfer.figures() : ""));
  }

  private void report(String complaint, String what) {
    if (complaint.isEmpty()) {
      System.out.println("ok " + what);
    } else {
      failed++;
      System.out.println("not ok " + what + ": " + complaint);
    }
  }
}
