package org.rddp.interop.siw;

import java.util.ArrayList;
import java.util.List;
import org.rddp.client.Connection;
import org.rddp.interop.siw.Watch.Way;
import org.rddp.ipc.Reason;

/**
 * Everything that may be wrong in a segment, from either side: whoever receives it has to say so in
 * a Terminate, and the other has to understand that. Afterwards both go on as if nothing had been.
 */
final class SpoiledRows {
  private static final int COUNT = 3;
  private static final int SIZE = 64;
  private static final int WORD = 4;

  private final Meetings meetings;
  private final Link link;
  private final Watch watch;

  /**
   * Over a link.
   *
   * @param watch that watches it
   */
  SpoiledRows(Meetings meetings, Link link, Watch watch) {
    this.meetings = meetings;
    this.link = link;
    this.watch = watch;
  }

  List<Row> all() {
    List<Row> rows = new ArrayList<>();
    for (Spoil spoil : Spoil.values()) {
      for (Way way : Way.values()) {
        boolean ours = way == Way.TO_SIW;
        String what = "bad %s from %s".formatted(spoil, ours ? "rddp" : "siw");
        boolean weOpen = !(spoil.serversPart() && ours);
        rows.add(Row.of(what, weOpen, link, () -> spoil(spoil, way, weOpen)));
      }
    }
    rows.add(
        Row.of("rping after all that", true, link, () -> meetings.rpingClient(link, COUNT, SIZE)));
    return rows;
  }

  private void spoil(Spoil spoil, Way way, boolean weOpen) throws Exception {
    watch.reset();
    watch.spoil(spoil, way);
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
    boolean bySiw = way == Way.TO_SIW;
    String terminate = watch.terminate(way.back());
    require(watch.hasSpoiled(), "nothing was spoiled: " + failure);
    require(!failure.isEmpty(), "it went on");
    require(
        terminate.startsWith(spoil.terminate(bySiw)),
        "the answer is a Terminate of " + terminate + ", not " + spoil.terminate(bySiw) + "...");
    Connection connection = meetings.last();
    require(connection != null, "no connection: " + failure);
    Reason expected = bySiw && spoil.mistakable() ? Reason.MPA_ERROR : reason(spoil);
    Reason reason = connection.closeReason();
    require(
        reason == expected || (bySiw && reason == Reason.TERMINATED),
        "to %s the program hears of %s %s, not %s"
            .formatted(terminate, reason, connection.closeText(), expected));
  }

  /** By the layer, the first digit of our Terminate. */
  private static Reason reason(Spoil spoil) {
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
