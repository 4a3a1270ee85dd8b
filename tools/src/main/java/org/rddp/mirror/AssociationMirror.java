package org.rddp.mirror;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.rddp.client.Rddp;
import org.rddp.client.RefusedException;
import org.rddp.client.types.ListSubject;
import org.rddp.client.types.Reason;
import org.rddp.mirror.KernelAssociation.Limits;
import org.rddp.mirror.KernelAssociation.Name;

/**
 * Gives the kernel's security associations to the daemon, one session long. For one thread.
 *
 * <p>Associations that the kernel may have had when the session began, those of which it tells
 * until it has told of all, are never given: another daemon may have sent with their keys, and the
 * kernel does not know the numbers that it has used (RFC 4106 section 2: no nonce twice). The
 * kernel is told that they are over instead, so that the daemon of IKE makes new ones.
 */
final class AssociationMirror implements XfrmEvents {
  /** Sends a message to the kernel. */
  interface Kernel {
    void send(byte[] message) throws IOException;
  }

  /** An association of the daemon's. */
  private static final class Given {
    final Limits limits;
    boolean soft;
    boolean hard;

    /** Whether the kernel has told of it since it was last asked for all. */
    boolean told = true;

    Given(Limits limits) {
      this.limits = limits;
    }
  }

  private final Rddp session;
  private final Kernel kernel;
  private final Consumer<String> log;
  private final Map<Name, Given> given = new HashMap<>();

  /** Those that were there before the session, or that the daemon has refused. */
  private final Set<Name> rejected = new HashSet<>();

  private final List<byte[]> requests = new ArrayList<>();
  private boolean first = true;
  private boolean dumping;
  private boolean lost;

  AssociationMirror(Rddp session, Kernel kernel, Consumer<String> log) {
    this.session = session;
    this.kernel = kernel;
    this.log = log;
  }

  /**
   * Deletes the interface's associations in the daemon, which an earlier mirror may have left, and
   * asks the kernel for its own.
   */
  void begin() throws IOException {
    for (JsonObject each : listed()) {
      session.securityAssociations().delete(spi(each), each.get("destination").getAsString());
    }
    dump();
  }

  /** Asks the kernel for all associations, after it has dropped events. */
  void onLost() throws IOException {
    log.accept("the kernel has dropped events; it is asked for all associations again");
    lost = true;
    if (!dumping) {
      dump();
    }
  }

  private void dump() throws IOException {
    dumping = true;
    lost = false;
    given.values().forEach(each -> each.told = false);
    kernel.send(Xfrm.dump());
  }

  /** Sends what the events have asked for. Call after each packet of messages. */
  void flush() throws IOException {
    for (byte[] each : requests) {
      kernel.send(each);
    }
    requests.clear();
    if (lost && !dumping) {
      dump();
    }
  }

  @Override
  public void onAssociation(KernelAssociation association) {
    Name name = association.name();
    Given known = given.get(name);
    if (known != null) {
      known.told = true;
      return;
    }
    if (rejected.contains(name)) {
      return;
    }
    if (first) {
      rejected.add(name);
      expire(name, true);
      log.accept(name + " was there before: the kernel is told that it is over");
      return;
    }
    if (!association.problem().isEmpty()) {
      rejected.add(name);
      log.accept(name + " cannot be used: " + association.problem());
      return;
    }
    try {
      session.securityAssociations().add(association.association(), 0, association.keys().octets());
      given.put(name, new Given(association.limits()));
      log.accept("added " + name);
    } catch (RefusedException e) {
      rejected.add(name);
      log.accept(name + ": " + e.getMessage());
    }
  }

  @Override
  public void onDeleted(Name name) {
    rejected.remove(name);
    if (given.remove(name) != null) {
      delete(name);
    }
  }

  @Override
  public void onExpired(Name name) {
    onDeleted(name);
  }

  @Override
  public void onFlushed() {
    List.copyOf(given.keySet()).forEach(this::onDeleted);
    rejected.clear();
  }

  @Override
  public void onDumped() {
    dumping = false;
    // Of what the kernel has dropped meanwhile, it tells the next time.
    first &= lost;
    List.copyOf(given.entrySet()).stream()
        .filter(each -> !each.getValue().told)
        .forEach(each -> onDeleted(each.getKey()));
  }

  @Override
  public void onRefused(int errno) {
    // An association that was to end is gone already: ESRCH, or EINVAL of one that is ending.
    log.accept("the kernel refuses a request with error " + errno);
  }

  private void delete(Name name) {
    try {
      session.securityAssociations().delete(name.spi(), name.destination().getHostAddress());
      log.accept("deleted " + name);
    } catch (RefusedException e) {
      if (e.reason() != Reason.NOT_FOUND) {
        throw e;
      }
    }
  }

  private void expire(Name name, boolean hard) {
    requests.add(Xfrm.expire(name, hard));
  }

  /**
   * Tells the kernel which lifetimes in octets and packets are over, which the daemon counts. Those
   * in seconds the kernel knows itself.
   */
  void watchLifetimes() throws IOException {
    if (given.values().stream().noneMatch(each -> each.limits.any())) {
      return;
    }
    for (JsonObject each : listed()) {
      Name name = new Name(spi(each), address(each.get("destination").getAsString()));
      Given known = given.get(name);
      if (known == null || known.hard) {
        continue;
      }
      long octets = each.get("octets").getAsLong();
      long packets = each.get("packets").getAsLong();
      if (known.limits.isHardOver(octets, packets)) {
        known.hard = true;
        expire(name, true);
      } else if (!known.soft && known.limits.isSoftOver(octets, packets)) {
        known.soft = true;
        expire(name, false);
        log.accept(name + " is to be replaced: its soft lifetime is over");
      }
    }
    flush();
  }

  private List<JsonObject> listed() {
    return session.list(ListSubject.ASSOCIATIONS).stream()
        .map(line -> JsonParser.parseString(line).getAsJsonObject())
        .filter(each -> each.get("interface").getAsString().equals(session.interfaceName()))
        .toList();
  }

  private static int spi(JsonObject listed) {
    return Integer.parseUnsignedInt(listed.get("spi").getAsString().substring(2), 16);
  }

  private static InetAddress address(String literal) throws IOException {
    return InetAddress.getByName(literal);
  }
}
