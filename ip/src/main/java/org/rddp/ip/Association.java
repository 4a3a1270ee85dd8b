package org.rddp.ip;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.rddp.ip.esp.EspCipher;

/**
 * A security association that is in use: its keys, and what it has carried. For the threads of the
 * interface's engines; others may read old values.
 */
public abstract sealed class Association permits OutboundAssociation, InboundAssociation {
  /** Who closes the cipher. */
  private enum Stage {
    /** Whoever deletes the association. */
    ADDED,
    /** A stack that has taken it over. */
    TAKEN,
    CLOSED
  }

  private static final VarHandle STAGE;

  static {
    try {
      STAGE = MethodHandles.lookup().findVarHandle(Association.class, "stage", Stage.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile Stage stage = Stage.ADDED;
  private final AssociationSettings settings;
  final AssociationKeys keys;
  final EspCipher cipher;

  /** What tells its keys from others' without telling them. */
  final long fingerprint;

  /** The time in ns at which it was added. */
  final long since;

  Association(
      AssociationSettings settings,
      AssociationKeys keys,
      EspCipher cipher,
      long fingerprint,
      long since) {
    this.settings = settings;
    this.keys = keys;
    this.cipher = cipher;
    this.fingerprint = fingerprint;
    this.since = since;
  }

  /** Everything but the keys. */
  public final AssociationSettings settings() {
    return settings;
  }

  /**
   * Takes it over for a stack, which then closes it when it is gone.
   *
   * @return false if it was deleted before, and must not be used
   */
  final boolean take() {
    return STAGE.compareAndSet(this, Stage.ADDED, Stage.TAKEN) || stage == Stage.TAKEN;
  }

  /** Forgets the keys unless a stack has taken it over. Any thread. */
  final void discard() {
    if (STAGE.compareAndSet(this, Stage.ADDED, Stage.CLOSED)) {
      cipher.close();
    }
  }

  /** Overwrites the kept keys, and forgets the others unless a stack has taken it over. */
  final void forget() {
    keys.wipe();
    discard();
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
