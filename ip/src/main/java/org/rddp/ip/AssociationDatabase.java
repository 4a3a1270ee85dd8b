package org.rddp.ip;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.rddp.ip.esp.EspCipher;
import org.rddp.snapshot.SnapshotReader;
import org.rddp.snapshot.SnapshotWriter;

/**
 * The security associations of an interface (RFC 4301 section 4.4.2), which the stacks of all its
 * queues share and which outlive them. A stack takes changes over at its next turn ({@link
 * IpSecurity}). Thread-safe.
 */
public final class AssociationDatabase {
  /** The most associations of an interface. */
  public static final int MOST = 4096;

  /**
   * Packets that may be sent on each association between {@link #write} and the last turn of the
   * last stack, if stacks have turns meanwhile: those of more than 50 ms at 20 million a second,
   * the fastest that the smallest packets come. Of 2^32 numbers each snapshot takes a 4096th then,
   * and a receiver still infers the upper half of an extended number behind so large a gap (RFC
   * 4303 section 2.2.1): it may be 2^32 less the window.
   */
  public static final long AHEAD = 1L << 20;

  /** No associations. */
  static final Contents NONE = new Contents(0, List.of(), List.of());

  private final List<HostAddress> ours;
  private final UsedKeys usedKeys;
  private final AssociationFactory factory;
  private volatile KeyExchange exchange;

  /** Whether another database may go on with the associations. */
  private boolean written;

  private volatile Contents contents = NONE;

  /**
   * All associations at one moment.
   *
   * @param generation differs from that of all contents before
   * @param inbound those that we receive on
   * @param outbound those that we send on, the newest first, each with a part for every stack
   */
  record Contents(
      int generation, List<InboundAssociation> inbound, List<List<OutboundAssociation>> outbound) {
    /** Every association once. */
    Stream<Association> all() {
      return Stream.concat(outbound.stream().map(List::getFirst), inbound.stream());
    }

    /** Overwrites all keys. */
    void forget() {
      inbound.forEach(Association::forget);
      outbound.forEach(parts -> parts.forEach(Association::forget));
    }

    /** The association with an SPI to a destination. */
    Optional<Association> find(int spi, HostAddress destination) {
      return all().filter(each -> each.settings().isNamed(spi, destination)).findFirst();
    }
  }

  /**
   * Creates a database without associations.
   *
   * @param ours every address of the interface
   * @param usedKeys of all interfaces
   * @param stacks of the interface, 1 or more
   */
  public AssociationDatabase(
      List<HostAddress> ours, EspCipher.Factory ciphers, UsedKeys usedKeys, int stacks) {
    this.ours = List.copyOf(ours);
    this.usedKeys = usedKeys;
    factory = new AssociationFactory(ciphers, usedKeys, stacks);
  }

  /** What there is now. */
  Contents contents() {
    return contents;
  }

  /** Whether we would receive on an association; otherwise we would send. */
  boolean receives(AssociationSettings settings) {
    return ours.contains(settings.destination());
  }

  /**
   * Adds an association, which the stacks use from their next turn on; otherwise like {@link
   * IpSecurity#add}, but no route is asked for.
   */
  public synchronized void add(AssociationSettings settings, byte[] keys, long used, long now) {
    checkKept();
    boolean receives = receives(settings);
    check(settings, keys, receives);
    Contents before = contents;
    if (before.inbound.size() + before.outbound.size() >= MOST) {
      throw new IllegalStateException("the interface has " + MOST + " associations already");
    }
    if (before.find(settings.spi(), settings.destination()).isPresent()
        || (receives
            && before.inbound.stream().anyMatch(each -> each.settings().spi() == settings.spi()))) {
      throw new IllegalStateException(
          "there is an association with SPI 0x%08x already".formatted(settings.spi()));
    }
    long fingerprint = usedKeys.fingerprint(keys);
    if (before.all().anyMatch(each -> each.fingerprint == fingerprint)
        || !usedKeys.add(settings, receives, fingerprint)) {
      throw new IllegalStateException(
          "these keys were used before: each association and each direction needs keys of its own");
    }
    List<InboundAssociation> inbound = new ArrayList<>(before.inbound);
    List<List<OutboundAssociation>> outbound = new ArrayList<>(before.outbound);
    int generation = before.generation + 1;
    AssociationKeys kept = new AssociationKeys(keys);
    try {
      if (receives) {
        inbound.add(factory.inbound(settings, kept, used, now));
      } else {
        SentNumbers numbers = new SentNumbers(settings.esn(), used);
        outbound.addFirst(factory.outbound(settings, kept, numbers, generation, now));
      }
    } catch (RuntimeException e) {
      kept.wipe();
      throw e;
    }
    contents = new Contents(generation, inbound, outbound);
  }

  private void checkKept() {
    if (written) {
      throw new IllegalStateException("another engine takes the associations over");
    }
  }

  private void check(AssociationSettings settings, byte[] keys, boolean receives) {
    if (receives == ours.contains(settings.source())) {
      throw new IllegalArgumentException(
          "one of both addresses, %s and %s, must be the interface's, which has %s"
              .formatted(settings.source(), settings.destination(), ours));
    }
    HostAddress peer = receives ? settings.source() : settings.destination();
    AddressPrefix remote = settings.selector().remote();
    if (!settings.tunnel() && !remote.equals(AddressPrefix.of(peer))) {
      throw new IllegalArgumentException(
          "in transport mode the remote address is the peer's, %s, not %s".formatted(peer, remote));
    }
    if (keys.length != settings.suite().keyOctets()) {
      throw new IllegalArgumentException(
          "%s has keys of %d octets in all, not %d"
              .formatted(settings.suite(), settings.suite().keyOctets(), keys.length));
    }
    if (isZero(keys)) {
      // A kernel that is locked down gives such ones instead of the real.
      throw new IllegalArgumentException("the keys are all zero");
    }
  }

  /** See {@link IpSecurity#delete}. */
  synchronized boolean delete(int spi, HostAddress destination) {
    checkKept();
    Contents before = contents;
    List<InboundAssociation> inbound =
        before.inbound.stream().filter(each -> !each.settings().isNamed(spi, destination)).toList();
    List<List<OutboundAssociation>> outbound =
        before.outbound.stream()
            .filter(each -> !each.getFirst().settings().isNamed(spi, destination))
            .toList();
    if (inbound.size() == before.inbound.size() && outbound.size() == before.outbound.size()) {
      return false;
    }
    contents = new Contents(before.generation + 1, inbound, outbound);
    // The stacks close what they have taken over, at their next turn.
    Stream.concat(before.inbound.stream(), before.outbound.stream().flatMap(List::stream))
        .filter(each -> each.settings().isNamed(spi, destination))
        .forEach(Association::forget);
    return true;
  }

  /**
   * Writes the associations with their keys: whoever reads the snapshot can read and forge their
   * packets, so it is to be kept, passed on and overwritten like keys. Until {@link #resume} none
   * is added or deleted. Any thread; the stacks may have further turns before each writes its own
   * part, the replay windows among it.
   *
   * @param ahead packets that may still be sent on each association, 0 if all stacks stand still,
   *     otherwise {@link #AHEAD}; when they are sent, no more is
   */
  public synchronized void write(SnapshotWriter snapshot, long ahead) {
    checkKept();
    written = true;
    new AssociationTransfer(snapshot, ahead, factory, ours).all(contents);
  }

  /** Goes on, since nobody will use what was {@linkplain #write written}. */
  public synchronized void resume() {
    written = false;
    contents.outbound.forEach(each -> each.getFirst().numbers.resume());
  }

  /**
   * Takes the associations of another database over. This one must have none, and the same
   * addresses. Call it before its stacks are made or have their first turn, and let all of them
   * read their parts before any has a turn.
   *
   * @throws org.rddp.snapshot.SnapshotException if the snapshot is wrong
   */
  public synchronized void read(SnapshotReader snapshot) {
    if (contents.generation > 0) {
      throw new IllegalStateException("the interface has associations already");
    }
    contents = new AssociationTransfer(snapshot, 0, factory, ours).all(contents);
  }

  /** Overwrites all keys, since another database has them; the stacks do so by themselves. */
  public synchronized void retire() {
    Contents before = contents;
    contents = new Contents(before.generation + 1, List.of(), List.of());
    before.forget();
  }

  /** See {@link IpSecurity#begin}. */
  synchronized void begin(KeyExchange receiver) {
    if (exchange != null) {
      throw new IllegalStateException("another program passes on the interface's IKE already");
    }
    exchange = receiver;
  }

  /** See {@link IpSecurity#end}. */
  synchronized void end(KeyExchange receiver) {
    if (receiver.equals(exchange)) {
      exchange = null;
    }
  }

  /** Gets what is for a daemon of IKE; null if there is none. */
  KeyExchange exchange() {
    return exchange;
  }

  private static boolean isZero(byte[] keys) {
    int any = 0;
    for (byte each : keys) {
      any |= each;
    }
    return any == 0;
  }
}
