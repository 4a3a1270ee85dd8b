package org.rddp.interop.siw;

import java.util.ArrayList;
import java.util.List;
import org.rddp.client.Connection;
import org.rddp.client.types.Reason;
import org.rddp.interop.siw.WireMonitor.Direction;

/**
 * Everything that may be wrong in a segment, from either side: whoever receives it has to say so in
 * a Terminate, and the other has to understand that. Afterwards both go on as if nothing had been.
 */
final class SegmentErrorCases {
  private static final int COUNT = 3;
  private static final int SIZE = 64;
  private static final int WORD = 4;

  private final GuestToolRunner meetings;
  private final SiwLink link;
  private final WireMonitor watch;

  /**
   * Over a link.
   *
   * @param watch that watches it
   */
  SegmentErrorCases(GuestToolRunner meetings, SiwLink link, WireMonitor watch) {
    this.meetings = meetings;
    this.link = link;
    this.watch = watch;
  }

  List<SiwCase> all() {
    List<SiwCase> rows = new ArrayList<>();
    for (SegmentError spoil : SegmentError.values()) {
      for (Direction way : Direction.values()) {
        boolean ours = way == Direction.TO_SIW;
        String what = "bad %s from %s".formatted(spoil, ours ? "rddp" : "siw");
        boolean weOpen = !(spoil.isSentByServer() && ours);
        rows.add(SiwCase.of(what, weOpen, link, () -> spoil(spoil, way, weOpen)));
      }
    }
    rows.add(
        SiwCase.of(
            "rping after all that", true, link, () -> meetings.rpingClient(link, COUNT, SIZE)));
    return rows;
  }

  private void spoil(SegmentError spoil, Direction way, boolean weOpen) throws Exception {
    watch.reset();
    watch.corruptNext(spoil, way);
    String failure = "";
    try {
      if (weOpen) {
        meetings.rpingClient(link, COUNT, SIZE);
      } else {
        meetings.rpingServer(link, COUNT, SIZE);
      }
    } catch (IllegalStateException expected) {
      failure = expected.getMessage();
    }
    boolean bySiw = way == Direction.TO_SIW;
    String terminate = watch.terminate(way.reverse());
    require(watch.hasCorrupted(), "nothing was spoiled: " + failure);
    require(!failure.isEmpty(), "it went on");
    require(
        terminate.startsWith(spoil.terminate(bySiw)),
        "the answer is a Terminate of " + terminate + ", not " + spoil.terminate(bySiw) + "...");
    Connection connection = meetings.lastFailedConnection();
    require(connection != null, "no connection: " + failure);
    Reason expected = bySiw && spoil.isAmbiguousFromSiw() ? Reason.MPA_ERROR : reason(spoil);
    Reason reason = connection.closeReason();
    require(
        reason == expected || (bySiw && reason == Reason.TERMINATED),
        "to %s the program hears of %s %s, not %s"
            .formatted(terminate, reason, connection.closeText(), expected));
  }

  /** By the layer, the first digit of our Terminate. */
  private static Reason reason(SegmentError spoil) {
    String word = spoil.terminate(false);
    if (word.length() != WORD) {
      throw new IllegalArgumentException(word);
    }
    return switch (word.charAt(0)) {
      case '0' -> Reason.RDMAP_ERROR;
      case '1' -> Reason.DDP_ERROR;
      default -> Reason.MPA_ERROR;
    };
  }

  private static void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new IllegalStateException(otherwise);
    }
  }
}
