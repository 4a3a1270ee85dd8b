package org.rddp.ddp.memory;

/**
 * A stream as the registered memory sees it: a member of one protection domain (RFC 5041 section
 * 8.2). Compared by identity.
 */
public abstract class DomainMember {
  private final ProtectionDomain domain;

  /** Creates a member of a domain. */
  protected DomainMember(ProtectionDomain domain) {
    this.domain = domain;
  }

  /** The domain whose STags the peer may use on this stream. */
  public final ProtectionDomain protectionDomain() {
    return domain;
  }
}
