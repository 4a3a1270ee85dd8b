package org.rddp.simulation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.rddp.wire.Tcp;

/**
 * The initial sequence number of each direction of each connection, learnt from the SYNs that were
 * sent.
 */
public final class SequenceSpaces {
  /**
   * One direction of a connection.
   *
   * @param source the lowest 32 bits of the address that sends
   * @param destination those of the address that receives
   * @param ports the sender's in the upper half, the receiver's in the lower
   */
  public record Direction(int source, int destination, int ports) {
    /** The direction that a segment goes in. */
    public static Direction of(long frame) {
      long packet = SegmentView.packet(frame);
      long segment = SegmentView.segment(frame);
      int ports = (Tcp.sourcePort(segment) << 16) | Tcp.destinationPort(segment);
      return new Direction(SegmentView.source(packet), SegmentView.destination(packet), ports);
    }

    /** The other direction of the same connection. */
    public Direction reverse() {
      return new Direction(destination, source, Integer.rotateLeft(ports, 16));
    }
  }

  private final Map<Direction, Integer> initial = new HashMap<>();
  private final Map<Direction, Set<Integer>> offered = new HashMap<>();
  private final Set<Direction> taken = new HashSet<>();

  /** Knows no number yet. */
  public SequenceSpaces() {}

  /**
   * Learns from a segment that is sent. SYN-ACKs made without state may differ from each other; the
   * first acknowledgment shows which one the peer has taken.
   */
  public void learn(long frame) {
    long segment = SegmentView.segment(frame);
    int flags = Tcp.flags(segment) & (Tcp.SYN | Tcp.ACK | Tcp.RST);
    Direction direction = Direction.of(frame);
    if (flags == Tcp.SYN) {
      initial.put(direction, Tcp.sequence(segment));
      taken.remove(direction.reverse());
    } else if (flags == (Tcp.SYN | Tcp.ACK) && !taken.contains(direction)) {
      initial.put(direction, Tcp.sequence(segment));
      offered.computeIfAbsent(direction, any -> new HashSet<>()).add(Tcp.sequence(segment));
    } else if (flags == Tcp.ACK && offered.containsKey(direction.reverse())) {
      take(direction.reverse(), Tcp.acknowledgment(segment));
    }
  }

  /** The peer has taken the SYN-ACK whose number is closest below the acknowledgment. */
  private void take(Direction direction, int acknowledgment) {
    int best = initial(direction);
    for (int offer : offered.remove(direction)) {
      if (Integer.compareUnsigned(acknowledgment - offer, acknowledgment - best) < 0) {
        best = offer;
      }
    }
    initial.put(direction, best);
    taken.add(direction);
  }

  /** The sequence number of a direction's SYN; 0 if it is not known. */
  public int initial(Direction direction) {
    return initial.getOrDefault(direction, 0);
  }
}
