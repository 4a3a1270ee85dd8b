package org.rddp.ip;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.rddp.snapshot.Snapshot;

/**
 * The keys that associations have had, which all interfaces of a process share. Keys are used for
 * one association only, even after that is gone: with AES-GCM, a sequence number that is used again
 * tells what was sent, and lets others forge packets (RFC 4106 section 2). Where two interfaces are
 * the two hosts of an association, each has it once. Thread-safe.
 */
public final class UsedKeys {
  /** Keys that are remembered; the oldest are forgotten for further ones. */
  private static final int MOST = 1 << 16;

  /** What the fields have before they are read. */
  private static final Use UNREAD = new Use(0, false, false);

  private volatile byte[] secret;
  private final Map<Long, Use> uses = new LinkedHashMap<>();

  /**
   * What keys are used for.
   *
   * @param association a hash of its SPI and addresses
   */
  private record Use(long association, boolean sends, boolean receives) {
    Use transfer(Snapshot snapshot) {
      return new Use(
          snapshot.number("association", association),
          snapshot.flag("sends", sends),
          snapshot.flag("receives", receives));
    }
  }

  /**
   * Remembers no keys yet.
   *
   * @param secret unknown to others; 32 octets
   */
  public UsedKeys(byte[] secret) {
    this.secret = secret.clone();
  }

  /** Transfers what is remembered; read it before the associations of any interface. */
  public synchronized void transfer(Snapshot snapshot) {
    snapshot.begin(UsedKeys.class);
    secret = snapshot.octets("secret", secret);
    if (secret == null) {
      throw snapshot.wrong("the secret is missing");
    }
    int count = snapshot.number("uses", uses.size(), 0, MOST);
    Iterator<Map.Entry<Long, Use>> written = List.copyOf(uses.entrySet()).iterator();
    for (int i = 0; i < count; i++) {
      Map.Entry<Long, Use> each = snapshot.reads() ? Map.entry(0L, UNREAD) : written.next();
      long fingerprint = snapshot.number("fingerprint", each.getKey());
      Use use = each.getValue().transfer(snapshot);
      if (snapshot.reads()) {
        uses.put(fingerprint, use);
      }
    }
    snapshot.end();
  }

  /** What tells keys from others without telling them. */
  long fingerprint(byte[] keys) {
    try {
      MessageDigest hash = MessageDigest.getInstance("SHA-256");
      hash.update(secret);
      return ByteBuffer.wrap(hash.digest(keys)).getLong();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /**
   * Remembers the keys of one end of an association.
   *
   * @param fingerprint of its keys
   * @return false if this end has had them, or another association
   */
  synchronized boolean add(AssociationSettings settings, boolean receives, long fingerprint) {
    String name = settings.spi() + " " + settings.source() + " " + settings.destination();
    long association = fingerprint(name.getBytes(US_ASCII));
    Use other = uses.get(fingerprint);
    if (other == null) {
      if (uses.size() == MOST) {
        uses.remove(uses.keySet().iterator().next());
      }
      uses.put(fingerprint, new Use(association, !receives, receives));
      return true;
    }
    if (other.association != association || (receives ? other.receives : other.sends)) {
      return false;
    }
    uses.put(fingerprint, new Use(association, true, true));
    return true;
  }
}
