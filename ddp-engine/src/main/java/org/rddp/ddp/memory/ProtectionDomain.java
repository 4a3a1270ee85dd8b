package org.rddp.ddp.memory;

/**
 * Ties STags to the streams that may use them (RFC 5041 section 8.2). Two domains are the same only
 * if they are the same object: a peer cannot name one.
 */
public final class ProtectionDomain {
  private final String name;

  /**
   * A new domain.
   *
   * @param name for people to read; means nothing to DDP
   */
  public ProtectionDomain(String name) {
    this.name = name;
  }

  @Override
  public String toString() {
    return name;
  }
}
