package org.rddp.ip;

import org.rddp.ip.esp.EspCipher;

/**
 * A security association that is in use: its keys, and what it has carried. For the threads of the
 * interface's engines; others may read old values.
 */
public abstract sealed class Association permits OutboundAssociation, InboundAssociation {
  private final AssociationSettings settings;
  final EspCipher cipher;

  /** What tells its keys from others' without telling them. */
  final long fingerprint;

  private final long since;

  Association(AssociationSettings settings, EspCipher cipher, long fingerprint, long now) {
    this.settings = settings;
    this.cipher = cipher;
    this.fingerprint = fingerprint;
    since = now;
  }

  /** Everything but the keys. */
  public final AssociationSettings settings() {
    return settings;
  }

  /** Whether we send on it; otherwise we receive. */
  public abstract boolean outbound();

  /** The number of the last packet sent, or the largest received; 0 for none. */
  public abstract long sequence();

  /** Octets of payload sent or received. */
  public abstract long octets();

  /** Packets sent or received. */
  public abstract long packets();

  /** Time in ns since it was added. */
  public final long age(long now) {
    return now - since;
  }

  /** Whether another one should take its place. */
  public boolean isSoftOver(long now) {
    return settings.lifetime().isSoftOver(octets(), age(now));
  }

  /** Whether it may not be used any more. */
  public boolean isOver(long now) {
    return settings.lifetime().isHardOver(octets(), age(now));
  }
}
