package org.rddp.ip;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.agrona.collections.Int2ObjectHashMap;
import org.rddp.ip.esp.EspCipher;

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

  /** What the two above are made from. */
  private AssociationDatabase.Contents contents;

  private Predicate<HostAddress> routes = destination -> true;
  private Runnable listener = () -> {};

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

  /** Changes with each association that is added or deleted. */
  int generation() {
    return contents.generation();
  }

  /**
   * Begins to serve a stack, instead of another one whose paths are gone.
   *
   * @param sender sends IKE's datagrams
   * @param reaches whether there is a route to a host
   * @param change called after each change of the associations
   */
  void serve(EspOutput sender, Predicate<HostAddress> reaches, Runnable change) {
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
    Set<Association> gone = new HashSet<>(outbound);
    gone.addAll(inbound.values());
    contents = next;
    inbound.clear();
    next.inbound().stream()
        .filter(Association::take)
        .forEach(each -> inbound.put(each.settings().spi(), each));
    outbound =
        next.outbound().stream().map(each -> each.get(stack)).filter(Association::take).toList();
    outbound.forEach(gone::remove);
    next.inbound().forEach(gone::remove);
    gone.forEach(this::close);
    // Once for the interface.
    counters.associations = stack == 0 ? next.all().count() : 0;
    listener.run();
  }

  private void close(Association gone) {
    switch (gone) {
      case OutboundAssociation sent -> sent.close();
      case InboundAssociation received -> {
        if (received.owner(stack) == stack) {
          received.close();
        }
      }
    }
  }

  /** The outbound associations, the newest first. */
  List<OutboundAssociation> outbound() {
    return outbound;
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

  /** The stack that opens the packets of an association; this one if none did before. */
  int owner(InboundAssociation association) {
    return association.owner(stack);
  }

  /** The index of this stack. */
  int stack() {
    return stack;
  }
}
