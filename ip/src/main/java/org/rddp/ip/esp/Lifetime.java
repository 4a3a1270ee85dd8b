package org.rddp.ip.esp;

/**
 * How long an association may be used (RFC 4301 section 4.4.2.1).
 *
 * @param softOctets octets of payload after which another association should take over; {@link
 *     #NONE}: never
 * @param hardOctets octets of payload after which it may not be used; {@link #NONE}: never
 * @param softNanos time in ns likewise
 * @param hardNanos time in ns likewise
 */
public record Lifetime(long softOctets, long hardOctets, long softNanos, long hardNanos) {
  /** No limit. */
  public static final long NONE = Long.MAX_VALUE;

  /** No limits, but that of the sequence numbers. */
  public static final Lifetime UNLIMITED = new Lifetime(NONE, NONE, NONE, NONE);

  /** Checks that limits are greater than 0, and soft ones no greater than hard ones. */
  public Lifetime {
    if (softOctets <= 0 || softNanos <= 0 || softOctets > hardOctets || softNanos > hardNanos) {
      throw new IllegalArgumentException(
          "a lifetime is greater than 0, and a soft one not greater than a hard one");
    }
  }

  /** Whether the association should be replaced. */
  public boolean isSoftOver(long octets, long age) {
    return octets >= softOctets || age >= softNanos;
  }

  /** Whether the association may not be used any more. */
  public boolean isHardOver(long octets, long age) {
    return octets >= hardOctets || age >= hardNanos;
  }
}
