package org.rddp.ddp.memory;

import org.rddp.snapshot.Snapshot;

/**
 * The part of a stream that registered memory uses: its membership of one protection domain (RFC
 * 5041 section 8.2). Compared by identity.
 */
public abstract class DomainMember {
  private ProtectionDomain domain;

  /** Creates a member of a domain. */
  protected DomainMember(ProtectionDomain domain) {
    this.domain = domain;
  }

  /** Whether this is a member of a domain. */
  @SuppressWarnings("ReferenceEquality") // domains are compared by identity
  public final boolean isIn(ProtectionDomain other) {
    return domain == other;
  }

  /** Moves to another domain, before the peer can have named an STag. */
  public final void enter(ProtectionDomain other) {
    domain = other;
  }

  /** The domain whose STags the peer may use on this stream. */
  public final ProtectionDomain protectionDomain() {
    return domain;
  }

  /** Transfers its domain. */
  protected final void transferDomain(Snapshot snapshot, DdpReferences references) {
    snapshot.begin(DomainMember.class);
    domain = references.domain(snapshot, "domain", domain);
    snapshot.end();
  }
}
