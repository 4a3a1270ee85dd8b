package org.rddp.ip;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.agrona.collections.Int2ObjectHashMap;
import org.rddp.ip.esp.EspCipher;

/**
 * The security policy of an interface and its associations (RFC 4301 section 4.4). It outlives the
 * stacks of its interface, which use it one after the other. For the engine's thread.
 *
 * <p>Keys are used for one association only, even after that is gone: with AES-GCM, a sequence
 * number that is used again tells what was sent, and lets others forge packets (RFC 4106 section
 * 2).
 */
public final class IpSecurity {
  /** The most associations of an interface. */
  public static final int MOST = 4096;

  /** The least time in ns between two calls of {@link KeyExchange#onNeed}. */
  private static final long NEED_AGAIN_AFTER = 10_000_000;

  /** Keys that are remembered after their association has been deleted. */
  private static final int REMEMBERED = 1 << 16;

  private final SecurityPolicy policy;
  private final List<HostAddress> ours;
  private final EspCipher.Factory ciphers;
  private final byte[] secret;
  private final EspCounters counters = new EspCounters();
  private final Int2ObjectHashMap<InboundAssociation> inbound = new Int2ObjectHashMap<>();

  /** The newest first. */
  private final List<OutboundAssociation> outbound = new ArrayList<>();

  private final Set<Long> usedKeys = new LinkedHashSet<>();
  private int generation;
  private Runnable listener = () -> {};

  /** Gets what is for a daemon of IKE; null if there is none. */
  private KeyExchange exchange;

  /** Of the stack that is in use; null before the first one. */
  private EspOutput output;

  private long needAgainAt = Long.MIN_VALUE;

  /**
   * Creates the security of an interface, without associations.
   *
   * @param ours every address of the interface
   * @param secret unknown to others; 32 octets
   */
  public IpSecurity(
      SecurityPolicy policy, List<HostAddress> ours, EspCipher.Factory ciphers, byte[] secret) {
    this.policy = policy;
    this.ours = List.copyOf(ours);
    this.ciphers = ciphers;
    this.secret = secret.clone();
  }

  /** Which traffic must be in ESP. */
  SecurityPolicy policy() {
    return policy;
  }

  /** What has happened. */
  public EspCounters counters() {
    return counters;
  }

  /** Changes with each association that is added or deleted. */
  int generation() {
    return generation;
  }

  /** Sets what is called after each change, in place of an earlier one. */
  void onChange(Runnable change) {
    listener = change;
  }

  /**
   * Adds an association, inbound if its destination is ours, or outbound if its source is. Of
   * several outbound ones for the same traffic the one added last is used.
   *
   * @param keys of the suite's length; the caller overwrites them afterwards
   * @param used number of the last packet with these keys; 0 if they are new
   * @param now the engine's time in ns
   * @throws IllegalArgumentException if it cannot be used; the message says why
   * @throws IllegalStateException if there are too many, or its keys or its SPI are used already
   */
  public void add(AssociationSettings settings, byte[] keys, long used, long now) {
    boolean receives = ours.contains(settings.destination());
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
    if (inbound.size() + outbound.size() >= MOST) {
      throw new IllegalStateException("the interface has " + MOST + " associations already");
    }
    if (find(settings.spi(), settings.destination()) != null
        || (receives && inbound.containsKey(settings.spi()))) {
      throw new IllegalStateException(
          "there is an association with SPI 0x%08x already".formatted(settings.spi()));
    }
    long fingerprint = fingerprint(keys);
    if (isUsed(fingerprint)) {
      throw new IllegalStateException(
          "these keys were used before: each association and each direction needs keys of its own");
    }
    EspCipher cipher = ciphers.cipher(settings.suite(), settings.esn(), keys);
    if (receives) {
      inbound.put(settings.spi(), new InboundAssociation(settings, cipher, fingerprint, used, now));
    } else {
      outbound.addFirst(new OutboundAssociation(settings, cipher, fingerprint, used, now));
    }
    changed();
    if (settings.tunnel() && !receives && outbound.getFirst().tunnel == null) {
      delete(settings.spi(), settings.destination());
      throw new IllegalStateException("there is no route to " + settings.destination());
    }
    remember(fingerprint);
  }

  /**
   * Deletes an association. Its keys cannot be used again.
   *
   * @return false if there is none
   */
  public boolean delete(int spi, HostAddress destination) {
    Association found = find(spi, destination);
    if (found == null) {
      return false;
    }
    if (found instanceof OutboundAssociation sent) {
      outbound.remove(sent);
      closeTunnel(sent);
    } else {
      inbound.remove(spi);
    }
    found.cipher.close();
    changed();
    return true;
  }

  /**
   * Begins to pass on what is for a daemon of IKE.
   *
   * @throws IllegalStateException if somebody else gets that already
   */
  public void begin(KeyExchange receiver) {
    if (exchange != null) {
      throw new IllegalStateException("another program passes on the interface's IKE already");
    }
    exchange = receiver;
  }

  /** Ends a {@link #begin}; without effect if somebody else's is in effect. */
  public void end(KeyExchange receiver) {
    if (receiver.equals(exchange)) {
      exchange = null;
    }
  }

  /** Gets what is for a daemon of IKE; null if there is none. */
  KeyExchange exchange() {
    return exchange;
  }

  /** Sets what sends IKE's datagrams from now on. */
  void output(EspOutput stacks) {
    output = stacks;
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
    if (exchange != null && now >= needAgainAt) {
      needAgainAt = now + NEED_AGAIN_AFTER;
      exchange.onNeed(path.ours(), Math.max(localPort, 0), path.remote(), Math.max(remotePort, 0));
    }
  }

  /** All associations. */
  public List<Association> associations() {
    List<Association> all = new ArrayList<>(outbound);
    all.addAll(inbound.values());
    return all;
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
      if (each.settings().spi() == spi && each.settings().destination().equals(destination)) {
        return each;
      }
    }
    return null;
  }

  /** The association with an SPI to a destination; null if there is none. */
  public Association find(int spi, HostAddress destination) {
    InboundAssociation received = inbound.get(spi);
    return received != null && received.settings().destination().equals(destination)
        ? received
        : outbound(spi, destination);
  }

  private void changed() {
    generation++;
    counters.associations = (long) inbound.size() + outbound.size();
    listener.run();
  }

  static void closeTunnel(OutboundAssociation association) {
    if (association.tunnel != null) {
      association.tunnel.close();
      association.tunnel = null;
    }
  }

  private boolean isUsed(long fingerprint) {
    return usedKeys.contains(fingerprint)
        || associations().stream().anyMatch(each -> each.fingerprint == fingerprint);
  }

  private void remember(long fingerprint) {
    if (usedKeys.size() == REMEMBERED) {
      usedKeys.remove(usedKeys.iterator().next());
    }
    usedKeys.add(fingerprint);
  }

  private long fingerprint(byte[] keys) {
    try {
      MessageDigest hash = MessageDigest.getInstance("SHA-256");
      hash.update(secret);
      return ByteBuffer.wrap(hash.digest(keys)).getLong();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  private static boolean isZero(byte[] keys) {
    int any = 0;
    for (byte each : keys) {
      any |= each;
    }
    return any == 0;
  }
}
