package org.rddp.client.types;

/**
 * Numbers of protection domains (RFC 5040 section 2.1), which the program chooses: a peer may name
 * an STag only on connections of the STag's domain, and a request of this program may name only
 * regions of the domain of its connection or shared receive queue. Each session has its own
 * domains. A domain need not be created.
 */
public final class ProtectionDomains {
  /** The domain of objects for which the program chooses none. */
  public static final int DEFAULT = 0;

  /** The largest number. */
  public static final int LARGEST = 4095;

  private ProtectionDomains() {}

  /** Checks a number. */
  public static void check(int domain) {
    if (domain < 0 || domain > LARGEST) {
      throw new IllegalArgumentException(
          "protection domain " + domain + ": its number is 0 to " + LARGEST);
    }
  }
}
