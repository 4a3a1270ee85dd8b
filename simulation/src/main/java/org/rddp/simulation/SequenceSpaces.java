package org.rddp.simulation;

import java.util.HashMap;
import java.util.Map;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Tcp;

/**
 * Where the sequence numbers of each direction of each connection began, as the SYNs told that were
 * sent.
 */
public final class SequenceSpaces {
  /**
   * One direction of a connection.
   *
   * @param source address that sends
   * @param destination address that receives
   * @param ports the sender's in the upper half, the receiver's in the lower
   */
  public record Direction(int source, int destination, int ports) {
    /** The direction that a segment goes in. */
    public static Direction of(long frame) {
      long packet = SegmentView.packet(frame);
      long segment = SegmentView.segment(frame);
      int ports = (Tcp.sourcePort(segment) << 16) | Tcp.destinationPort(segment);
      return new Direction(Ipv4.source(packet), Ipv4.destination(packet), ports);
    }

    /** The other direction of the same connection. */
    public Direction reverse() {
      return new Direction(destination, source, Integer.rotateLeft(ports, 16));
    }
  }

  private final Map<Direction, Integer> initial = new HashMap<>();

  /** None known. */
  public SequenceSpaces() {}

  /** Learns from a segment that is sent. */
  public void learn(long frame) {
    long segment = SegmentView.segment(frame);
    int flags = Tcp.flags(segment);
    if ((flags & Tcp.SYN) != 0) {
      initial.put(Direction.of(frame), Tcp.sequence(segment));
    } else if ((flags & (Tcp.ACK | Tcp.RST)) == Tcp.ACK) {
      // A SYN-ACK made without state may have come in several versions: this one was taken.
      initial.putIfAbsent(Direction.of(frame).reverse(), Tcp.acknowledgment(segment) - 1);
    }
  }

  /** The sequence number of a direction's SYN; 0 when it is not known. */
  public int initial(Direction direction) {
    return initial.getOrDefault(direction, 0);
  }
}
