package org.rddp.interop.esp;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.rddp.client.Rddp;
import org.rddp.interop.guest.Guest;
import org.rddp.interop.guest.GuestCase;
import org.rddp.interop.guest.GuestLink;

/** Puts packets on the wire that the receiver must drop and count. */
final class InjectedPacketCases {
  /** What is put on the wire, and the counter of rddp's and of Linux's that counts it. */
  private enum Packet {
    AGAIN("replayed", "XfrmInStateSeqError"),
    SPOILT("forged", "XfrmInStateProtoError"),
    UNKNOWN("unknown_spi", "XfrmInNoStates"),
    CLEAR("clear", "XfrmInTmplMismatch");

    private final String ours;
    private final String linuxs;

    Packet(String ours, String linuxs) {
      this.ours = ours;
      this.linuxs = linuxs;
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Reads counters that are not 0. */
  private interface Counters {
    Map<String, Long> read() throws IOException;
  }

  private static final int GUEST_PORT = 1;
  private static final int POLLS = 1000;
  private static final long PAUSE = 20_000_000;

  private final Guest guest;
  private final Rddp session;
  private final String command;
  private final Path directory;

  /** What rddp has dropped on each interface, by its counters; those that are 0 are not there. */
  private final Map<String, Map<String, Long>> byUs = new HashMap<>();

  /** What Linux has dropped, likewise. */
  private final Map<String, Long> byLinux = new TreeMap<>();

  /**
   * Cases with a guest and a daemon that have dropped nothing yet.
   *
   * @param command {@code interop/esp/inject}
   * @param directory with captures of the guest's links
   */
  InjectedPacketCases(Guest guest, Rddp session, String command, Path directory) {
    this.guest = guest;
    this.session = session;
    this.command = command;
    this.directory = directory;
  }

  /**
   * The cases of a link that has carried packets.
   *
   * @param other another address of the guest's, whose packets it seals in the link's tunnel; empty
   *     if the link has no tunnel
   */
  List<GuestCase> over(GuestLink link, Optional<String> other) {
    List<GuestCase> rows = new ArrayList<>();
    for (Packet packet : Packet.values()) {
      rows.add(GuestCase.of("packet " + packet, false, link, () -> toUs(link, packet)));
      rows.add(GuestCase.of("packet " + packet, true, link, () -> toLinux(link, packet)));
    }
    other.ifPresent(address ->
        rows.add(
            GuestCase.of(
                "packet of another address", false, link, () -> fromOther(link, address))));
    return rows;
  }

  private void toUs(GuestLink link, Packet packet) throws IOException, InterruptedException {
    inject(link, "br" + link.interfaceName(), link.guests(), link.ours(), packet);
    awaitDropped(link, packet.ours);
  }

  private void fromOther(GuestLink link, String address) throws IOException {
    String said =
        guest.run(GUEST_PORT, "ping -c 1 -W 1 -I " + address + " " + link.ours()).output();
    if (!said.contains("1 packets transmitted, 0 packets received")) {
      throw new IllegalStateException("ping: " + said);
    }
    awaitDropped(link, "mismatched");
  }

  private void awaitDropped(GuestLink link, String counter) throws IOException {
    Map<String, Long> expected =
        byUs.computeIfAbsent(link.interfaceName(), each -> new TreeMap<>());
    expected.merge(counter, 1L, Long::sum);
    await(expected, () -> ours(link));
  }

  private void toLinux(GuestLink link, Packet packet) throws IOException, InterruptedException {
    byLinux.merge(packet.linuxs, 1L, Long::sum);
    inject(link, "tap" + link.mtu(), link.ours(), link.guests(), packet);
    await(byLinux, this::linuxs);
  }

  private void inject(
      GuestLink link, String device, String source, String destination, Packet packet)
      throws IOException, InterruptedException {
    String capture = directory.resolve("tap" + link.mtu() + ".pcap").toString();
    List<String> words = List.of(command, capture, device, source, destination, packet.toString());
    Commands.run(words, "");
  }

  /** Waits until counters that are not 0 are as expected; they are copied from time to time. */
  private static void await(Map<String, Long> expected, Counters counters) throws IOException {
    Map<String, Long> seen = counters.read();
    for (int i = 0; i < POLLS && !seen.equals(expected); i++) {
      LockSupport.parkNanos(PAUSE);
      seen = counters.read();
    }
    if (!seen.equals(expected)) {
      String complaint = "dropped are " + seen + ", not " + expected;
      // The next case begins with what there is.
      expected.clear();
      expected.putAll(seen);
      throw new IllegalStateException(complaint);
    }
  }

  private Map<String, Long> ours(GuestLink link) throws IOException {
    Map<String, Long> found = new TreeMap<>();
    String prefix = link.interfaceName() + ".esp_dropped_";
    session
        .counters()
        .forEach((name, value) -> {
          if (name.startsWith(prefix) && value != 0) {
            found.put(name.substring(prefix.length()), value);
          }
        });
    return found;
  }

  private Map<String, Long> linuxs() {
    return guest
        .run(GUEST_PORT, "cat /proc/net/xfrm_stat")
        .orThrow()
        .output()
        .lines()
        .map(line -> line.strip().split("\\s+"))
        .filter(line -> line.length == 2 && !line[1].equals("0"))
        .collect(Collectors.toMap(line -> line[0], line -> Long.valueOf(line[1])));
  }
}
