package org.rddp.simulation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.rddp.simulation.SequenceSpaces.Direction;
import org.rddp.wire.Tcp;

/**
 * Remembers which octets of which streams were corrupted with a matching TCP checksum. TCP may hand
 * up wrong octets only there.
 */
public final class CorruptedOctets implements NetworkListener {
  private final SequenceSpaces spaces = new SequenceSpaces();
  private final Map<Direction, Set<Long>> positions = new HashMap<>();

  /** No octets. */
  public CorruptedOctets() {}

  @Override
  public void onEvent(NetworkEvent event, long frame, int length, int detail) {
    if (event == NetworkEvent.SENT) {
      learn(frame, length);
    } else if (event == NetworkEvent.CORRUPTED_UNSEEN) {
      Direction direction = Direction.of(frame);
      int first = spaces.initial(direction) + 1;
      int index = (int) (frame + detail - SegmentView.payload(frame));
      long position = Tcp.sequence(SegmentView.segment(frame)) + index - first & 0xffff_ffffL;
      positions.computeIfAbsent(direction, any -> new HashSet<>()).add(position);
    }
  }

  private void learn(long frame, int length) {
    if (SegmentView.isSegment(frame, length)) {
      spaces.learn(frame);
    }
  }

  /** Whether the octet at a stream position of a direction was corrupted in the network. */
  public boolean contains(Direction direction, long position) {
    return positions.getOrDefault(direction, Set.of()).contains(position & 0xffff_ffffL);
  }
}
