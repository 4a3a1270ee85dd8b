package org.rddp.tcp.handshake;

import java.util.random.RandomGenerator;
import org.rddp.ip.Ipv6Path;
import org.rddp.ip.Path;
import org.rddp.snapshot.Snapshot;
import org.rddp.wire.SequenceNumber;

/**
 * Numbers of a connection that other hosts cannot predict: its initial sequence number (RFC 6528)
 * and the offset of its timestamps (RFC 7323 section 5.4).
 */
public final class ConnectionSecrets {
  /** The clock of initial sequence numbers ticks every 4 microseconds (RFC 6528 section 3). */
  private static final long SEQUENCE_TICK = 4000;

  /** The least octets between the last of a former incarnation and the first of a new one. */
  private static final int INCARNATION_GAP = 1 << 16;

  private static final long PORTS = 0xffff_ffffL;

  private final KeyedHash hash;
  private final int ourAddress;

  /**
   * Creates the secrets of one interface.
   *
   * @param ourAddress of IPv4; 0 without IPv4
   */
  public ConnectionSecrets(RandomGenerator random, int ourAddress) {
    hash = new KeyedHash(random);
    this.ourAddress = ourAddress;
  }

  /**
   * Identifies a connection in keyed hashes: its key, but for IPv6 with a keyed hash of the
   * addresses instead of the path's number, which may be assigned anew.
   */
  public long identity(Path path, long key) {
    return path instanceof Ipv6Path ipv6
        ? hash.hash(
            ipv6.remotePrefix(),
            ipv6.remoteInterface(),
            ipv6.ourPrefix(),
            ipv6.ourInterface(),
            key & PORTS)
        : key;
  }

  private long secret(long key) {
    return hash.hash(key, ourAddress);
  }

  /** The initial sequence number: a clock and a secret offset. */
  public int initialSequence(long key, long now) {
    return (int) (now / SEQUENCE_TICK) + (int) secret(key);
  }

  /**
   * The initial sequence number of a new incarnation of a connection in TIME-WAIT: by the clock,
   * but behind the octets of the old incarnation, which may be ahead of the clock (RFC 9293 section
   * 3.6.1).
   *
   * @param used SND.NXT of the old incarnation
   */
  public int initialSequenceAfter(long key, long now, int used) {
    int clock = initialSequence(key, now);
    return SequenceNumber.after(clock, used) ? clock : used + INCARNATION_GAP;
  }

  /** The offset of the connection's timestamps. */
  public int timestampOffset(long key) {
    return (int) (secret(key) >>> 32);
  }

  /** Transfers the keys. */
  public void transfer(Snapshot snapshot) {
    hash.transfer(snapshot);
  }
}
