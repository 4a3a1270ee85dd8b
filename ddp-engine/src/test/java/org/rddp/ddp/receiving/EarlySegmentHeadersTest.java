package org.rddp.ddp.receiving;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.rddp.ddp.segment.SegmentHeader;

/** The headers of segments placed early, of many streams. */
class EarlySegmentHeadersTest {
  private static final int FEW = 16;

  private final EarlyRoom room = new EarlyRoom();
  private final SegmentHeader header = new SegmentHeader();

  /** Adds headers as long as there is room; returns how many. */
  private int fill(EarlySegmentHeaders headers) {
    int added = 0;
    while (headers.hasRoom()) {
      headers.add(header);
      added++;
    }
    return added;
  }

  @Test
  void shouldBoundTheHeadersOfAllStreams() {
    int streams = 100;
    int all = 0;
    for (int i = 0; i < streams; i++) {
      int added = fill(new EarlySegmentHeaders(room));
      assertThat(added).isBetween(FEW, EarlySegmentHeaders.MOST);
      all += added;
    }
    assertThat(all).isBetween(EarlyRoom.MOST / 2, EarlyRoom.MOST + streams * FEW);
  }

  @Test
  void shouldGiveTheRoomBackWhenStreamsEnd() {
    for (int round = 0; round < 3; round++) {
      List<EarlySegmentHeaders> streams = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        EarlySegmentHeaders headers = new EarlySegmentHeaders(room);
        fill(headers);
        streams.add(headers);
      }
      streams.forEach(EarlySegmentHeaders::clear);
      assertThat(room.has(EarlyRoom.MOST)).isTrue();
    }
  }

  /** A stream keeps room that it has used once, unless others may need it. */
  @Test
  void shouldGiveTheRoomBackWhenLittleIsLeft() {
    List<EarlySegmentHeaders> streams = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      EarlySegmentHeaders headers = new EarlySegmentHeaders(room);
      headers.removeFirst(fill(headers));
      streams.add(headers);
    }
    assertThat(streams).allSatisfy(each -> assertThat(each.isEmpty()).isTrue());
    assertThat(fill(new EarlySegmentHeaders(room))).isEqualTo(EarlySegmentHeaders.MOST);
  }
}
