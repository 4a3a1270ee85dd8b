package org.rddp.tcp;

import org.rddp.snapshot.Snapshot;

/**
 * The claim of an ICMP message about a path, kept until a loss confirms it or an acknowledgment
 * refutes it (RFC 5927 section 7.2).
 *
 * @param position stream position of the segment that the message quotes
 * @param mtu largest packet that the path carries, in octets
 */
record PathMtuClaim(long position, int mtu) {
  /** Transfers a claim. */
  static PathMtuClaim transfer(Snapshot snapshot, PathMtuClaim claim) {
    snapshot.begin(PathMtuClaim.class);
    long position = snapshot.number("position", claim == null ? 0 : claim.position);
    int mtu = snapshot.number("mtu", claim == null ? 0 : claim.mtu);
    snapshot.end();
    return new PathMtuClaim(position, mtu);
  }
}
