package org.rddp.ddp.memory;

/**
 * Associates STags with the streams that may use them (RFC 5041 section 8.2). Domains are compared
 * by identity; a peer cannot name one.
 */
public final class ProtectionDomain {
  private final String name;

  /**
   * Creates a domain.
   *
   * @param name for people to read; DDP does not use it
   */
  public ProtectionDomain(String name) {
    this.name = name;
  }

  @Override
  public String toString() {
    return name;
  }
}
