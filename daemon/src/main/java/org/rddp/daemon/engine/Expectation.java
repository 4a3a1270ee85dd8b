package org.rddp.daemon.engine;

import org.rddp.ip.HostAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.ip.Ipv6Address;
import org.rddp.snapshot.Snapshot;

/**
 * The peer that a queue pair expects, as its program has been told by other means.
 *
 * @param number the queue pair's own, see {@link QueuePairNumbers}
 * @param local its address, which the peer has been told
 * @param remoteNumber the peer's number, 0 to 2^24 - 1
 * @param remote the peer's address, of the same family
 * @param psn first packet sequence number of its own sends, 0 to 2^24 - 1, or {@link
 *     Introduction#UNKNOWN}
 * @param remotePsn that of the peer's sends
 * @param timeout nanoseconds for which requests of the send queue may wait for the peer; 0: for
 *     ever
 */
public record Expectation(
    int number,
    HostAddress local,
    int remoteNumber,
    HostAddress remote,
    int psn,
    int remotePsn,
    long timeout) {

  /** Whether this end connects, and the peer accepts: it has the lower address and number. */
  boolean connects() {
    return compare() < 0;
  }

  /** Whether the queue pair is its own peer. */
  boolean isItself() {
    return compare() == 0;
  }

  private int compare() {
    int upper = Long.compareUnsigned(upper(local), upper(remote));
    int lower = Long.compareUnsigned(lower(local), lower(remote));
    int addresses = upper == 0 ? lower : upper;
    return addresses == 0 ? Integer.compare(number, remoteNumber) : addresses;
  }

  private static long upper(HostAddress address) {
    return address instanceof Ipv6Address v6 ? v6.high() : 0;
  }

  /** Two addresses of one family compare as the IPv4-mapped ones of verbs do. */
  private static long lower(HostAddress address) {
    return switch (address) {
      case Ipv4Address v4 -> Integer.toUnsignedLong(v4.bits());
      case Ipv6Address v6 -> v6.low();
    };
  }

  /** Copies it with what the program has said since. */
  Expectation with(int ownPsn, long nanos) {
    return new Expectation(number, local, remoteNumber, remote, ownPsn, remotePsn, nanos);
  }

  /**
   * Transfers it.
   *
   * @param written null if it is read
   */
  static Expectation transfer(Snapshot snapshot, Expectation written) {
    boolean reads = written == null;
    snapshot.begin(Expectation.class);
    int number = snapshot.number("number", reads ? 0 : written.number);
    HostAddress local = HostAddress.transfer(snapshot, reads ? null : written.local);
    int remoteNumber = snapshot.number("remoteNumber", reads ? 0 : written.remoteNumber);
    HostAddress remote = HostAddress.transfer(snapshot, reads ? null : written.remote);
    int psn = snapshot.number("psn", reads ? 0 : written.psn);
    int remotePsn = snapshot.number("remotePsn", reads ? 0 : written.remotePsn);
    long timeout = snapshot.number("timeout", reads ? 0 : written.timeout);
    snapshot.end();
    return new Expectation(number, local, remoteNumber, remote, psn, remotePsn, timeout);
  }

  /** How this end introduces itself. */
  Introduction introduction() {
    return new Introduction(number, remoteNumber, psn, remotePsn);
  }

  /** Whether a peer that introduces itself from an address, and to one of ours, is the one. */
  boolean isOf(Introduction introduction, HostAddress from, HostAddress to) {
    return from.equals(remote)
        && to.equals(local)
        && introduction.matches(remoteNumber, number, remotePsn, psn);
  }
}
