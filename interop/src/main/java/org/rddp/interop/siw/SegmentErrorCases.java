package org.rddp.interop.siw;

import java.util.ArrayList;
import java.util.List;
import org.rddp.client.Connection;
import org.rddp.client.types.Reason;
import org.rddp.interop.guest.GuestCase;
import org.rddp.interop.guest.GuestLink;
import org.rddp.interop.guest.GuestToolRunner;
import org.rddp.interop.siw.WireMonitor.Direction;

/**
 * Puts every error into a segment from either side: the receiver must answer with a Terminate that
 * the sender understands, and new connections must work afterwards.
 */
final class SegmentErrorCases {
  private static final int COUNT = 3;
  private static final int SIZE = 64;
  private static final int WORD = 4;

  private final GuestToolRunner tools;
  private final GuestLink link;
  private final WireMonitor monitor;

  /**
   * Cases over a link.
   *
   * @param monitor of the link
   */
  SegmentErrorCases(GuestToolRunner tools, GuestLink link, WireMonitor monitor) {
    this.tools = tools;
    this.link = link;
    this.monitor = monitor;
  }

  List<GuestCase> all() {
    List<GuestCase> rows = new ArrayList<>();
    for (SegmentError error : SegmentError.values()) {
      for (Direction direction : Direction.values()) {
        boolean ours = direction == Direction.TO_SIW;
        String what = "bad %s from %s".formatted(error, ours ? "rddp" : "siw");
        boolean weOpen = !(error.isSentByServer() && ours);
        rows.add(GuestCase.of(what, weOpen, link, () -> inject(error, direction, weOpen)));
      }
    }
    rows.add(
        GuestCase.of(
            "rping after all that", true, link, () -> tools.rpingClient(link, COUNT, SIZE)));
    return rows;
  }

  private void inject(SegmentError error, Direction direction, boolean weOpen) throws Exception {
    monitor.reset();
    monitor.corruptNext(error, direction);
    String failure = "";
    try {
      if (weOpen) {
        tools.rpingClient(link, COUNT, SIZE);
      } else {
        tools.rpingServer(link, COUNT, SIZE);
      }
    } catch (IllegalStateException expected) {
      failure = expected.getMessage();
    }
    boolean bySiw = direction == Direction.TO_SIW;
    String terminate = monitor.terminate(direction.reverse());
    require(monitor.hasCorrupted(), "nothing was corrupted: " + failure);
    require(!failure.isEmpty(), "the transfer went on");
    require(
        terminate.startsWith(error.terminate(bySiw)),
        "the answer is a Terminate of " + terminate + ", not " + error.terminate(bySiw) + "...");
    Connection connection = tools.lastFailedConnection();
    require(connection != null, "no connection: " + failure);
    Reason expected = bySiw && error.isAmbiguousFromSiw() ? Reason.MPA_ERROR : reason(error);
    Reason reason = connection.closeReason();
    require(
        reason == expected || (bySiw && reason == Reason.TERMINATED),
        "to %s the program hears of %s %s, not %s"
            .formatted(terminate, reason, connection.closeText(), expected));
  }

  /** The reason by the layer, which is the first digit of our Terminate. */
  private static Reason reason(SegmentError error) {
    String word = error.terminate(false);
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
