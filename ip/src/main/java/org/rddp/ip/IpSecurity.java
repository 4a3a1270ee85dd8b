package org.rddp.ip;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.agrona.collections.Int2ObjectHashMap;
import org.rddp.ip.esp.EspCipher;
import org.rddp.snapshot.Snapshot;

/**
 * The security policy of an interface and its associations (RFC 4301 section 4.4), as the stack of
 * one of its queues uses them. It outlives the stacks that serve the queue one after the other. For
 * the engine's thread.
 */
public final class IpSecurity {
  /** The least time in ns between two calls of {@link KeyExchange#onNeed}. */
  private static final long NEED_AGAIN_AFTER = 10_000_000;

  private final SecurityPolicy policy;
  private final AssociationDatabase database;
  private final int stack;
  private final EspCounters counters = new EspCounters();
  private final Int2ObjectHashMap<InboundAssociation> inbound = new Int2ObjectHashMap<>();

  /** The newest first. */
  private List<OutboundAssociation> outbound = List.of();

  /** The outbound ones for one remote address, by that. */
  private final Map<AddressPrefix, List<OutboundAssociation>> toHosts = new HashMap<>();

  /** The outbound ones for more than one. */
  private final List<OutboundAssociation> toNetworks = new ArrayList<>();

  /** What they are made from. */
  private AssociationDatabase.Contents contents;

  /** Changes with each outbound association that is added or deleted. */
  private int generation;

  private Predicate<HostAddress> routes = destination -> true;
  private BiConsumer<List<OutboundAssociation>, List<OutboundAssociation>> listener =
      (added, changed) -> {};

  /** Sends IKE's datagrams; null before the first stack. */
  private EspOutput output;

  private long needAgainAt = Long.MIN_VALUE;

  /**
   * Creates the security of an interface with one stack, without associations.
   *
   * @param ours every address of the interface
   * @param secret unknown to others; 32 octets
   */
  public IpSecurity(
      SecurityPolicy policy, List<HostAddress> ours, EspCipher.Factory ciphers, byte[] secret) {
    this(policy, new AssociationDatabase(ours, ciphers, new UsedKeys(secret), 1), 0);
  }

  /**
   * Creates one stack's view of the security of an interface.
   *
   * @param database shared with the other stacks
   * @param stack index of the stack, from 0
   */
  public IpSecurity(SecurityPolicy policy, AssociationDatabase database, int stack) {
    this.policy = policy;
    this.database = database;
    this.stack = stack;
    contents = AssociationDatabase.NONE;
    refresh();
  }

  /** Which traffic must be in ESP. */
  SecurityPolicy policy() {
    return policy;
  }

  /** What has happened to the packets of this stack. */
  public EspCounters counters() {
    return counters;
  }

  /** Changes with each outbound association that is added or deleted. */
  int generation() {
    return generation;
  }

  /**
   * Begins to serve a stack, instead of another one whose paths are gone.
   *
   * @param sender sends IKE's datagrams
   * @param reaches whether there is a route to a host
   * @param change called after each change of the outbound associations: with those added, and with
   *     those added or deleted
   */
  void serve(
      EspOutput sender,
      Predicate<HostAddress> reaches,
      BiConsumer<List<OutboundAssociation>, List<OutboundAssociation>> change) {
    output = sender;
    outbound.forEach(each -> each.tunnel = null);
    routes = reaches;
    listener = change;
  }

  /**
   * Adds an association for all stacks of the interface, inbound if its destination is ours, or
   * outbound if its source is. Of several outbound ones for the same traffic the one added last is
   * used.
   *
   * @param keys of the suite's length; the caller overwrites them afterwards
   * @param used number of the last packet with these keys; 0 if they are new
   * @param now the engine's time in ns
   * @throws IllegalArgumentException if it cannot be used; the message says why
   * @throws IllegalStateException if there are too many, its keys or its SPI are used already, or
   *     no route leads to the other end of its tunnel
   */
  public void add(AssociationSettings settings, byte[] keys, long used, long now) {
    if (settings.tunnel() && !database.receives(settings) && !routes.test(settings.destination())) {
      throw new IllegalStateException("there is no route to " + settings.destination());
    }
    database.add(settings, keys, used, now);
    refresh();
  }

  /**
   * Deletes an association of all stacks. Its keys cannot be used again.
   *
   * @return false if there is none
   */
  public boolean delete(int spi, HostAddress destination) {
    boolean deleted = database.delete(spi, destination);
    refresh();
    return deleted;
  }

  /**
   * Begins to pass on what is for a daemon of IKE, whichever stack gets it.
   *
   * @throws IllegalStateException if somebody else gets that already
   */
  public void begin(KeyExchange receiver) {
    database.begin(receiver);
  }

  /** Ends a {@link #begin}; without effect if somebody else's is in effect. */
  public void end(KeyExchange receiver) {
    database.end(receiver);
  }

  /** Gets what is for a daemon of IKE; null if there is none. */
  KeyExchange exchange() {
    return database.exchange();
  }

  /**
   * Sends a datagram of IKE in clear.
   *
   * @param local our address that it is from
   * @param datagram from the UDP header on, its checksum included
   * @param now the engine's time in ns
   * @throws IllegalArgumentException if it cannot be sent; the message says why
   * @throws IllegalStateException if it cannot be sent now
   */
  public void send(HostAddress local, HostAddress remote, byte[] datagram, long now) {
    output.exchange(local, remote, datagram, now);
  }

  /** Tells the daemon of IKE that an association is needed. */
  void need(Path path, int localPort, int remotePort, long now) {
    KeyExchange exchange = database.exchange();
    if (exchange != null && now >= needAgainAt) {
      needAgainAt = now + NEED_AGAIN_AFTER;
      exchange.onNeed(path.ours(), Math.max(localPort, 0), path.remote(), Math.max(remotePort, 0));
    }
  }

  /** All associations. Any thread. */
  public List<Association> associations() {
    return database.contents().all().toList();
  }

  /** The association with an SPI to a destination; null if there is none. Any thread. */
  public Association find(int spi, HostAddress destination) {
    return database.contents().find(spi, destination).orElse(null);
  }

  /** Takes changes over that any stack has made. Call at the beginning of each turn. */
  void refresh() {
    AssociationDatabase.Contents next = database.contents();
    if (next.generation() != contents.generation()) {
      takeOver(next);
    }
  }

  private void takeOver(AssociationDatabase.Contents next) {
    contents = next;
    takeInbound(next.inbound());
    takeOutbound(next.outbound());
    // Once for the interface.
    counters.associations = stack == 0 ? next.inbound().size() + next.outbound().size() : 0;
  }

  private void takeInbound(List<InboundAssociation> next) {
    Set<InboundAssociation> gone = new HashSet<>(inbound.values());
    inbound.clear();
    for (InboundAssociation each : next) {
      gone.remove(each);
      if (each.take()) {
        inbound.put(each.settings().spi(), each);
      }
    }
    for (InboundAssociation each : gone) {
      if (each.own(stack)) {
        each.close();
      }
    }
  }

  private void takeOutbound(List<List<OutboundAssociation>> next) {
    Set<OutboundAssociation> changed = new HashSet<>(outbound);
    outbound = next.stream().map(each -> each.get(stack)).filter(Association::take).toList();
    // What is in one of both is left.
    List<OutboundAssociation> added =
        outbound.stream().filter(each -> !changed.remove(each)).toList();
    for (OutboundAssociation each : changed) {
      withRemote(each).remove(each);
      toHosts.remove(each.settings().selector().remote(), List.of());
      each.close();
    }
    added.forEach(each -> withRemote(each).add(each));
    changed.addAll(added);
    if (!changed.isEmpty()) {
      generation++;
      // A list: an iteration over the set would pass over the room that it has had for all.
      listener.accept(added, List.copyOf(changed));
    }
  }

  /** The list of the index that an association belongs to. */
  private List<OutboundAssociation> withRemote(OutboundAssociation association) {
    AddressPrefix remote = association.settings().selector().remote();
    return remote.isHost() ? toHosts.computeIfAbsent(remote, key -> new ArrayList<>()) : toNetworks;
  }

  /** The outbound associations for a remote address by its halves, the newest first. */
  Stream<OutboundAssociation> outbound(long high, long low) {
    List<OutboundAssociation> toHost =
        toHosts.getOrDefault(AddressPrefix.host(high, low), List.of());
    return Stream.concat(
            toHost.stream(),
            toNetworks.stream()
                .filter(each -> each.settings().selector().remote().contains(high, low)))
        .sorted(Comparator.comparingInt((OutboundAssociation each) -> each.order).reversed());
  }

  /** The outbound associations, the newest first. */
  List<OutboundAssociation> outbound() {
    return outbound;
  }

  /** This stack's outbound associations of the database, which it takes over with its next turn. */
  List<OutboundAssociation> nextOutbound() {
    return database.contents().outbound().stream().map(each -> each.get(stack)).toList();
  }

  /** The inbound association with an SPI; null if there is none. */
  InboundAssociation inbound(int spi) {
    return inbound.get(spi);
  }

  /** The outbound association with an SPI to a destination; null if there is none. */
  OutboundAssociation outbound(int spi, HostAddress destination) {
    for (OutboundAssociation each : outbound) {
      if (each.settings().isNamed(spi, destination)) {
        return each;
      }
    }
    return null;
  }

  /**
   * Transfers what this stack has done, and the windows of the associations whose packets it opens;
   * the associations themselves are the database's. Between two turns.
   */
  void transfer(Snapshot snapshot) {
    if (snapshot.reads()) {
      // The stack may have been made before the database was read.
      refresh();
    }
    snapshot.begin(IpSecurity.class);
    policy.transfer(snapshot);
    snapshot.counters(counters);
    needAgainAt = snapshot.number("needAgainAt", needAgainAt);
    // Another stack may have deleted some since this one's last turn.
    List<InboundAssociation> opened =
        database.contents().inbound().stream().filter(each -> each.owner() == stack).toList();
    int count = snapshot.number("opened", opened.size(), 0, AssociationDatabase.MOST);
    for (int i = 0; i < count; i++) {
      int spi = snapshot.number("spi", snapshot.reads() ? 0 : opened.get(i).settings().spi());
      InboundAssociation association = inbound(spi);
      if (association == null || !association.own(stack)) {
        throw snapshot.wrong("no association 0x%08x is left for this stack".formatted(spi));
      }
      association.transfer(snapshot);
    }
    snapshot.end();
  }

  /** Forgets the keys that this stack has in use, since another one goes on. */
  public void retire() {
    listener = (added, changed) -> {};
    takeOver(AssociationDatabase.NONE);
  }

  /** The index of this stack. */
  int stack() {
    return stack;
  }
}
