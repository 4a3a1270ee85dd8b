package org.rddp.tcp;

import org.rddp.ip.Path;
import org.rddp.snapshot.Snapshot;
import org.rddp.wire.Ethernet;

/**
 * Counts what connections of one owner send: the octets of frames with data, from Ethernet's header
 * to the last octet of payload, those sent again included. A frame that the device cuts counts as
 * the frames that it makes. Acknowledgments do not count. Written by the stack's thread; others may
 * read an old value.
 */
public final class SentOctets {
  private long octets;

  /** Octets since it was made. */
  public long octets() {
    return octets;
  }

  /** Transfers how many have been counted. */
  public void transfer(Snapshot snapshot) {
    snapshot.begin(SentOctets.class);
    octets = snapshot.number("octets", octets);
    snapshot.end();
  }

  /**
   * Counts a frame.
   *
   * @param header octets of TCP's header
   * @param payload octets behind it
   * @param segment octets of payload at which the device cuts it; 0 if it does not
   */
  void add(Path path, int header, int payload, int segment) {
    int mtu = path.linkMtu();
    // IP's header, and what ESP adds.
    int below = mtu - path.room(mtu);
    int frames = segment == 0 ? 1 : (payload + segment - 1) / segment;
    octets += payload + (long) frames * (Ethernet.HEADER + below + header);
  }
}
