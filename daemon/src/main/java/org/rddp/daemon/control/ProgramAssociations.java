package org.rddp.daemon.control;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.rddp.client.types.Reason;
import org.rddp.client.types.SecurityAssociation;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.ip.AddressPrefix;
import org.rddp.ip.Association;
import org.rddp.ip.AssociationSettings;
import org.rddp.ip.HostAddress;
import org.rddp.ip.IpSecurity;
import org.rddp.ip.TrafficSelector;
import org.rddp.ip.esp.EspSuite;
import org.rddp.ip.esp.Lifetime;
import org.rddp.ip.esp.ReplayWindow;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;

/**
 * Carries out a program's requests for security associations. Keys are in no answer and in no log.
 * Control thread only.
 */
final class ProgramAssociations {
  /** Octets of the lines of one reply, less than its field can carry. */
  private static final int ROOM = 3800;

  private final ControlServer server;
  private final ProgramSession program;

  ProgramAssociations(ControlServer server, ProgramSession program) {
    this.server = server;
    this.program = program;
  }

  /** Adds an association to the interface of the session. */
  void add(ProgramMessage.AddAssociation add) throws RequestRefusedException {
    try {
      server.permissions().checkAssociations(program.socket().peer());
      AssociationSettings settings = checked(() -> settings(add.association()));
      program.onEngine(
          add.request(),
          () -> {
            try {
              return add(add, settings);
            } finally {
              add.keys().wipe();
            }
          });
    } catch (RequestRefusedException e) {
      add.keys().wipe();
      throw e;
    }
  }

  private DaemonMessage add(ProgramMessage.AddAssociation add, AssociationSettings settings)
      throws RequestRefusedException {
    IpSecurity security = security(program.daemonInterface());
    HostAddress destination = settings.destination();
    boolean replaces = add.replaced() != 0;
    if (replaces && security.find(add.replaced(), destination) == null) {
      throw unknown(add.replaced(), destination);
    }
    try {
      security.add(settings, add.keys().octets(), 0, System.nanoTime());
    } catch (IllegalArgumentException e) {
      throw new RequestRefusedException(Reason.INVALID, e.getMessage());
    } catch (IllegalStateException e) {
      throw new RequestRefusedException(Reason.STATE, e.getMessage());
    }
    if (replaces) {
      security.delete(add.replaced(), destination);
    }
    note("added", settings.spi(), destination);
    return new DaemonMessage.Done(add.request());
  }

  /** Deletes an association of the interface of the session. */
  void delete(ProgramMessage.DeleteAssociation delete) throws RequestRefusedException {
    server.permissions().checkAssociations(program.socket().peer());
    HostAddress destination = checked(() -> address("destination", delete.destination()));
    program.onEngine(
        delete.request(),
        () -> {
          if (!security(program.daemonInterface()).delete(delete.spi(), destination)) {
            throw unknown(delete.spi(), destination);
          }
          note("deleted", delete.spi(), destination);
          return new DaemonMessage.Done(delete.request());
        });
  }

  private void note(String what, int spi, HostAddress destination) {
    server.note(
        "%s: security association 0x%08x to %s %s by %s"
            .formatted(program.daemonInterface().name(), spi, destination, what, program.name()));
  }

  private static RequestRefusedException unknown(int spi, HostAddress destination) {
    return new RequestRefusedException(
        Reason.NOT_FOUND, "there is no association 0x%08x to %s".formatted(spi, destination));
  }

  /** The security policy of an interface; refuses one without. Engine thread. */
  static IpSecurity security(InterfaceEngine at) throws RequestRefusedException {
    IpSecurity security = at.engine().tcp().security();
    if (security == null) {
      throw new RequestRefusedException(
          Reason.STATE,
          "the interface %s has no security policy: its configuration needs [interface.ipsec]"
              .formatted(at.name()));
    }
    return security;
  }

  private static <T> T checked(Supplier<T> conversion) throws RequestRefusedException {
    try {
      return conversion.get();
    } catch (IllegalArgumentException e) {
      throw new RequestRefusedException(Reason.INVALID, e.getMessage());
    }
  }

  private static HostAddress address(String what, String text) {
    try {
      return HostAddress.parse(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          what + " is an address such as 10.0.0.1 or 2001:db8::1, not \"" + text + "\"", e);
    }
  }

  private AssociationSettings settings(SecurityAssociation entry) {
    HostAddress source = address("source", entry.source());
    HostAddress destination = address("destination", entry.destination());
    EspSuite suite =
        EspSuite.of(entry.algorithms())
            .orElseThrow(() ->
                new IllegalArgumentException(
                    "algorithms are one of %s, not %s"
                        .formatted(EspSuite.names(), entry.algorithms())));
    InterfaceEngine at = program.daemonInterface();
    boolean receives = at.engine().address().all(at.entry().mac()).contains(destination);
    HostAddress peer = receives ? source : destination;
    AddressPrefix remote =
        entry.remote().isEmpty() ? AddressPrefix.of(peer) : prefix(entry.remote());
    return new AssociationSettings(
        entry.spi(),
        source,
        destination,
        entry.tunnel(),
        suite,
        entry.esn(),
        entry.window() == 0 ? ReplayWindow.USUAL : entry.window(),
        new TrafficSelector(remote, entry.tcpOnly(), entry.localPort(), entry.remotePort()),
        lifetime(entry));
  }

  private static AddressPrefix prefix(String text) {
    try {
      return AddressPrefix.parse(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "remote is an address or a prefix such as 10.0.0.0/24, not \"" + text + "\"", e);
    }
  }

  private static Lifetime lifetime(SecurityAssociation entry) {
    return new Lifetime(
        softLimit(entry.softOctets(), entry.hardOctets()),
        limit(entry.hardOctets()),
        nanos(softLimit(entry.softSeconds(), entry.hardSeconds())),
        nanos(limit(entry.hardSeconds())));
  }

  private static long limit(long limit) {
    return limit == 0 ? Lifetime.NONE : limit;
  }

  /** A soft limit; where only a hard one is set, the same. */
  private static long softLimit(long soft, long hard) {
    return limit(soft == 0 ? hard : soft);
  }

  private static long nanos(long seconds) {
    return seconds == Lifetime.NONE ? seconds : TimeUnit.SECONDS.toNanos(seconds);
  }

  // ---- List ----

  /**
   * Lists associations of one interface after the other: the position is the interface's number,
   * from 1, and the index among its associations.
   */
  void list(ProgramMessage.ListObjects next) throws RequestRefusedException {
    server.permissions().checkAssociations(program.socket().peer());
    List<InterfaceEngine> secured =
        server.interfaces().all().stream()
            .filter(each -> each.engine().tcp().security() != null)
            // Its engines share them.
            .filter(each -> each.number() == 0)
            .filter(each -> !server.watches().isStalled(each))
            .toList();
    int number = Math.max(next.session(), 1);
    if (number > secured.size()) {
      program.send(new DaemonMessage.ObjectsListed(next.request(), 0, 0, ""));
      return;
    }
    InterfaceEngine at = secured.get(number - 1);
    int from = Math.max(next.index(), 0);
    boolean last = number == secured.size();
    Supplier<DaemonMessage> page = () -> page(next.request(), at, number, from, last);
    at.engine()
        .execute(() -> {
          DaemonMessage reply = page.get();
          server.execute(() -> program.send(reply));
        });
  }

  private static DaemonMessage page(
      int request, InterfaceEngine at, int number, int from, boolean last) {
    StringBuilder lines = new StringBuilder();
    int octets = 0;
    long now = System.nanoTime();
    List<Association> all = at.engine().tcp().security().associations();
    for (int i = from; i < all.size(); i++) {
      String line = ObjectJson.association(at.name(), all.get(i), now);
      octets += line.getBytes(StandardCharsets.UTF_8).length + 1;
      if (octets > ROOM) {
        return new DaemonMessage.ObjectsListed(request, number, i, lines.toString());
      }
      lines.append(line).append('\n');
    }
    return new DaemonMessage.ObjectsListed(request, last ? 0 : number + 1, 0, lines.toString());
  }
}
