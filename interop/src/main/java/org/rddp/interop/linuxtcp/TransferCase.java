package org.rddp.interop.linuxtcp;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.rddp.interop.Impairment;
import org.rddp.ip.Ipv6Address;
import org.rddp.tcp.TcpSettings;

/**
 * A transfer of the table.
 *
 * @param link that it crosses
 * @param weOpen whether rddp opens the connection, instead of Linux
 * @param weSend whether rddp sends, instead of Linux
 * @param impairment of the link
 * @param without the option that one side does not offer, if any
 * @param linuxRefuses whether that side is Linux
 */
record TransferCase(
    LinuxLink link,
    boolean weOpen,
    boolean weSend,
    Impairment impairment,
    Optional<NegotiatedOption> without,
    boolean linuxRefuses) {
  private static final boolean[] EITHER = {true, false};

  /** All cases: every link with every option, then each option refused on the first link. */
  static List<TransferCase> table(List<LinuxLink> links) {
    List<TransferCase> rows = new ArrayList<>();
    for (LinuxLink link : links) {
      for (Impairment impairment : Impairment.values()) {
        if (link.address() instanceof Ipv6Address && impairment == Impairment.RESEGMENTATION) {
          continue; // it cuts and joins segments over IPv4 only
        }
        if (link.routed() && impairment != Impairment.CLEAN) {
          continue; // this link shows how both ends learn the path MTU
        }
        if (link.offloads() && impairment != Impairment.CLEAN) {
          continue; // the impairments know neither long frames nor checksums that are left out
        }
        for (boolean weOpen : EITHER) {
          for (boolean weSend : EITHER) {
            rows.add(new TransferCase(link, weOpen, weSend, impairment, Optional.empty(), false));
          }
        }
      }
    }
    for (NegotiatedOption option : NegotiatedOption.values()) {
      for (boolean weOpen : EITHER) {
        for (boolean linuxRefuses : EITHER) {
          boolean weSend = weOpen == linuxRefuses;
          Optional<NegotiatedOption> without = Optional.of(option);
          rows.add(
              new TransferCase(
                  links.get(0), weOpen, weSend, Impairment.LOSS, without, linuxRefuses));
        }
      }
    }
    return rows;
  }

  /** Our TCP's settings. */
  TcpSettings settings() {
    TcpSettings settings = TcpSettings.DEFAULTS;
    return without.isPresent() && !linuxRefuses ? without.get().off(settings) : settings;
  }

  /** Whether the two sides should negotiate an option. */
  boolean agreed(NegotiatedOption option) {
    return without.isEmpty() || without.get() != option;
  }

  /** Whether Linux offers an option. */
  boolean linuxOffers(NegotiatedOption option) {
    return agreed(option) || !linuxRefuses;
  }

  /** Link, opener, sender, impairment and refused option, in columns. */
  @Override
  public String toString() {
    String refusal =
        without.map(option -> option + " off at " + side(!linuxRefuses)).orElse("every option");
    return String.format(
        "%-10s  %-5s %-5s  %-15s  %-19s",
        link.name(), side(weOpen), side(weSend), impairment, refusal);
  }

  private static String side(boolean ours) {
    return ours ? "rddp" : "Linux";
  }
}
