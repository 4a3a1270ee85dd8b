package org.rddp.analysis;

import org.rddp.ip.Ipv4Address;
import org.rddp.simulation.NetworkEvent;
import org.rddp.simulation.NetworkListener;
import org.rddp.simulation.SegmentView;
import org.rddp.wire.Ipv4;

/** Counts the segments that one host and its peers send. */
final class SegmentCounter implements NetworkListener {
  private final int host;
  private long data;
  private long octets;
  private long acknowledgments;

  SegmentCounter(Ipv4Address host) {
    this.host = host.bits();
  }

  @Override
  public void onEvent(NetworkEvent deed, long frame, int length, int detail) {
    if (deed != NetworkEvent.SENT || !SegmentView.isSegment(frame, length)) {
      return;
    }
    int payload = SegmentView.payloadLength(frame);
    boolean ours = Ipv4.source(SegmentView.packet(frame)) == host;
    if (ours && payload > 0) {
      data++;
      octets += payload;
    } else if (!ours && payload == 0) {
      acknowledgments++;
    }
  }

  void restart() {
    data = 0;
    octets = 0;
    acknowledgments = 0;
  }

  /** Segments with data that the host has sent. */
  long data() {
    return data;
  }

  /** Octets of data in these. */
  long octets() {
    return octets;
  }

  /** Segments without data that its peers have sent. */
  long acknowledgments() {
    return acknowledgments;
  }
}
