package org.rddp.interop.esp;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.rddp.interop.guest.Guest;
import org.rddp.interop.guest.GuestLink;

/**
 * Makes associations with new keys: in the daemon by {@code rddp ipsec add}, in the guest by {@code
 * ip xfrm}, and for Wireshark in a file.
 */
final class Associations {
  /** Types of ICMPv6: Neighbour Solicitation and Advertisement. */
  private static final int[] NEIGHBOURS = {135, 136};

  private static final int GUEST_PORT = 1;
  private static final int LAST_OCTET = 255;

  /**
   * The guest's numbers begin here if they are extended, so that they soon pass 2^32. By RFC 4303
   * appendix A2.2 a window of 1024 takes no first number nearer to that: it would be one below 0.
   */
  private static final String LATE = " replay-oseq 0xfffffbff";

  /** Busybox's shell would run its own {@code ip}. */
  private static final String POLICY = "/usr/bin/ip xfrm policy add ";

  private final Guest guest;
  private final List<String> command;
  private final Path forWireshark;
  private final SecureRandom random = new SecureRandom();
  private int spi = 0x1000;

  /**
   * Prepares the guest.
   *
   * @param command {@code rddp ipsec add}
   * @param forWireshark the file
   */
  Associations(Guest guest, List<String> command, Path forWireshark) {
    this.guest = guest;
    this.command = List.copyOf(command);
    this.forWireshark = forWireshark;
    // Neighbour Discovery stays in clear, as it does in rddp. The lowest number comes first.
    List<String> lines = new ArrayList<>();
    for (int type : NEIGHBOURS) {
      for (String way : List.of("in", "out")) {
        lines.add(
            POLICY + "src ::/0 dst ::/0 proto 58 type %d dir %s priority 1".formatted(type, way));
      }
    }
    run(lines);
  }

  /** Protects all that the two ends of a link send each other, last what the guest sends. */
  void protect(GuestLink link, Protection protection) throws IOException, InterruptedException {
    oneWay(link, protection, link.ours(), link.guests(), "in");
    oneWay(link, protection, link.guests(), link.ours(), "out");
  }

  /**
   * Gives the guest another address, and has it send from that through the tunnel that was made
   * last, which is not for that address.
   *
   * @return the address
   */
  String addOtherAddress(GuestLink link) {
    String address = link.guests().contains(":") ? "2001:db8::%x" : "10.96.0.%d";
    address = address.formatted(spi & LAST_OCTET);
    run(
        List.of(
            "/usr/bin/ip addr add " + address + " dev lo",
            POLICY
                + "src %s dst %s dir out priority 2 tmpl src %s dst %s proto esp reqid %d mode tunnel"
                    .formatted(address, link.ours(), link.guests(), link.ours(), spi)));
    return address;
  }

  private void oneWay(
      GuestLink link, Protection protection, String source, String destination, String guestsWay)
      throws IOException, InterruptedException {
    byte[] keys = new byte[protection.suite().keyOctets()];
    random.nextBytes(keys);
    String between = "src " + source + " dst " + destination;
    String number = "0x%08x".formatted(++spi);
    String begin = protection.esn() && guestsWay.equals("out") ? LATE : "";
    run(
        List.of(
            "/usr/bin/ip xfrm state add %s proto esp spi %s reqid %d %s%s"
                .formatted(between, number, spi, protection.linuxWords(keys), begin),
            POLICY
                + "%s dir %s priority 2 tmpl %s proto esp reqid %d mode %s"
                    .formatted(between, guestsWay, between, spi, protection.mode())));
    Files.writeString(
        forWireshark,
        "\"%s\",\"%s\",\"%s\",\"%s\",%s\n"
            .formatted(
                source.contains(":") ? "IPv6" : "IPv4",
                source,
                destination,
                number,
                protection.wiresharkWords(keys)),
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
    add(link, protection, source, destination, keys);
  }

  private void add(
      GuestLink link, Protection protection, String source, String destination, byte[] keys)
      throws IOException, InterruptedException {
    List<String> words = new ArrayList<>(command);
    words.addAll(List.of("--interface", link.interfaceName(), "--spi", Integer.toString(spi)));
    words.addAll(List.of("--source", source, "--destination", destination));
    words.addAll(protection.rddpWords());
    Commands.run(words, HexFormat.of().formatHex(keys) + "\n");
  }

  private void run(List<String> lines) {
    guest.run(GUEST_PORT, "sh -c \"" + String.join(" && ", lines) + "\"").orThrow();
  }
}
