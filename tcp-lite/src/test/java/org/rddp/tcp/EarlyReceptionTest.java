package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.rddp.tcp.testing.InOrderHandler;

/** Octets handed up the moment they come, each once (RFC 5044 appendix A.3, RFC 9293 3.10.7.4). */
class EarlyReceptionTest {
  private static Script with(int... ends) {
    Script script = Script.established();
    for (int i = 0; i < ends.length; i += 2) {
      script.receive(". seq " + ends[i] + " ack 1 len " + (ends[i + 1] - ends[i]));
    }
    script.drain();
    script.handler.takeEvents();
    return script;
  }

  @Test
  @DisplayName("RFC 5044 A.3 (1): a segment behind a gap is handed up when it is accepted")
  @Tag("MPAA-3-01")
  @Tag("D03-5.1.2-01")
  void shouldHandUpBehindAGap() {
    Script script = Script.established();
    script.receive(". seq 101 ack 1 len 100");
    assertThat(script.handler.takeEvents()).containsExactly("101+100");
    assertThat(script.stream.receivePosition()).isZero();
  }

  @Test
  @DisplayName("RFC 5044 A.3 (2): the position of each segment is its place in the stream")
  @Tag("MPAA-3-05")
  @Tag("D03-5.1.2-01")
  void shouldReportThePositionOfEachSegment() {
    Script script = with(301, 401);
    script.receive(". seq 5001 ack 1 len 10");
    script.receive(". seq 101 ack 1 len 1");
    assertThat(script.handler.takeEvents()).containsExactly("5001+10", "101+1");
  }

  @Test
  @DisplayName("RFC 5044 A.3 (3): the left edge is reported only when a gap closes")
  @Tag("MPAA-3-06")
  @Tag("D03-5.1.2-01")
  void shouldReportTheLeftEdgeWhenAGapCloses() {
    Script script = with(201, 301, 401, 501);
    script.receive(". seq 1 ack 1 len 100");
    assertThat(script.handler.takeEvents()).containsExactly("1+100");
    script.receive(". seq 101 ack 1 len 100");
    assertThat(script.handler.takeEvents()).containsExactly("101+100", "edge 301");
    assertThat(script.stream.receivePosition()).isEqualTo(300);
    script.receive(". seq 301 ack 1 len 100");
    assertThat(script.handler.takeEvents()).containsExactly("301+100", "edge 501");
    script.receive(". seq 501 ack 1 len 100");
    assertThat(script.handler.takeEvents()).containsExactly("501+100");
  }

  static Stream<Arguments> overlaps() {
    return Stream.of(
        Arguments.of("inside of what is here", 111, 191, ""),
        Arguments.of("the same once more", 101, 201, ""),
        Arguments.of("the first octets", 101, 150, ""),
        Arguments.of("the last octets", 151, 201, ""),
        Arguments.of("over its start", 51, 151, "51+50"),
        Arguments.of("over its end", 151, 251, "201+50"),
        Arguments.of("around it", 51, 251, "51+50 201+50"),
        Arguments.of("up to its start", 51, 101, "51+50"),
        Arguments.of("from its end on", 201, 251, "201+50"),
        Arguments.of("over the gap", 151, 351, "201+100"),
        Arguments.of("exactly the gap", 201, 301, "201+100"),
        Arguments.of("inside of the gap", 221, 281, "221+60"),
        Arguments.of("around everything", 51, 551, "51+50 201+100 401+150"),
        Arguments.of("from before the left edge up to an early octet", -49, 102, "1+100 edge 201"),
        Arguments.of(
            "from the left edge over everything",
            1,
            501,
            "1+100 edge 201 201+100 edge 401 401+100"),
        Arguments.of("from before the left edge into the gap", -9, 251, "1+100 edge 201 201+50"),
        Arguments.of("before the left edge", -99, 1, ""));
  }

  @ParameterizedTest(name = "RFC 9293 3.10.7.4: {0}")
  @MethodSource("overlaps")
  @DisplayName("RFC 9293 3.10.7.4: of a segment that overlaps 101-201 and 301-401")
  @Tag("MPAA-3-04")
  @Tag("D03-5.1.2-03")
  void shouldHandUpOnlyWhatIsNew(String what, int from, int to, String heard) {
    Script script = with(101, 201, 301, 401);
    script.receive(". seq " + from + " ack 1 len " + (to - from));
    assertThat(String.join(" ", script.handler.takeEvents())).as(what).isEqualTo(heard);
  }

  @Test
  @DisplayName("RFC 5044 A.3 (1): a duplicate with other octets overwrites nothing")
  @Tag("MPAA-3-04")
  @Tag("D03-5.1.2-03")
  void shouldNotHandUpADuplicateWithOtherOctets() {
    Script script = with(101, 201);
    byte[] other = script.build(". seq 101 ack 1 len 100");
    // The checksum does not see that two words have changed places.
    int word = other.length - 4;
    byte[] last = {other[word + 2], other[word + 3], other[word], other[word + 1]};
    System.arraycopy(last, 0, other, word, last.length);
    script.device.put(other);
    script.receive(". seq 1 ack 1 len 100");
    assertThat(script.handler.takeEvents()).containsExactly("1+100", "edge 201");
    assertThat(script.stack.counters().checksumErrors).isZero();
    assertThat(script.stack.counters().duplicates).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 5044 A.3 (1): a wrong checksum hands nothing up")
  @Tag("MPAA-3-02")
  void shouldNotHandUpAnEarlySegmentWithAWrongChecksum() {
    Script script = Script.established();
    byte[] frame = script.build(". seq 101 ack 1 len 10");
    frame[frame.length - 1] ^= 1;
    script.device.put(frame);
    script.turn();
    assertThat(script.handler.takeEvents()).isEmpty();
    script.expectNothing();
  }

  @Test
  @DisplayName("RFC 9293 3.10.7.4: a segment that ends beyond the window is cut")
  @Tag("MPAA-3-02")
  void shouldCutAnEarlySegmentAtTheRightEdge() {
    Script script = Script.established();
    script.receive(". seq 19951 ack 1 len 100");
    assertThat(script.handler.takeEvents()).containsExactly("19951+50");
    script.receive(". seq 20001 ack 1 len 10");
    assertThat(script.handler.takeEvents()).isEmpty();
    script.expect(". seq 1 ack 1");
    script.expect(". seq 1 ack 1");
  }

  @Test
  @DisplayName("RFC 5044 A.3: nothing more is handed up after an abort from within")
  void shouldStopWhenTheUserAborts() {
    Recorder aborting =
        new Recorder() {
          @Override
          public void onSegment(long position, long address, int length, long packet) {
            super.onSegment(position, address, length, packet);
            if (length == 50) {
              stream.abort();
            }
          }
        };
    Script script = new Script();
    script.listen((stream, address, port) -> aborting);
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.receive(". seq 1 ack 1");
    script.receive(". seq 101 ack 1 len 100");
    script.receive(". seq 51 ack 1 len 200");
    assertThat(aborting.takeEvents()).containsExactly("open", "101+100", "51+50", "closed ABORTED");
    assertThat(script.stack.packetsHeld()).isZero();
    assertThat(script.pool.available()).isEqualTo(script.pool.capacity());
  }

  @Test
  @DisplayName("RFC 5044 A.3: nothing is handed up after an abort, and no left edge reported")
  void shouldReportNoEdgeWhenTheUserAborts() {
    Script script = new Script();
    Recorder aborting =
        new Recorder() {
          @Override
          public void onSegment(long position, long address, int length, long packet) {
            super.onSegment(position, address, length, packet);
            if (position == 0) {
              stream.abort();
            }
          }
        };
    script.listen((stream, address, port) -> aborting);
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.receive(". seq 1 ack 1");
    script.receive(". seq 101 ack 1 len 100");
    script.receive(". seq 1 ack 1 len 300");
    assertThat(aborting.takeEvents()).containsExactly("open", "101+100", "1+100", "closed ABORTED");
    assertThat(script.stack.packetsHeld()).isZero();
  }

  @Test
  @DisplayName("RFC 5044 A.3 (1): packets count as held until the left edge has passed them")
  void shouldCountEarlyPacketsUntilTheEdgePassesThem() {
    Script script = with(201, 301, 301, 401, 501, 601);
    assertThat(script.stack.packetsHeld()).isEqualTo(3);
    script.receive(". seq 1 ack 1 len 200");
    assertThat(script.stack.packetsHeld()).isEqualTo(1);
    script.receive(". seq 401 ack 1 len 100");
    assertThat(script.stack.packetsHeld()).isZero();
  }

  @Test
  @DisplayName(
      "RFC 5044 A.3 (1): the segment that fills the gap is accepted however many packets wait")
  void shouldTakeWhatFillsTheGapThoughTooManyWait() {
    Script script = Script.established();
    for (int i = 0; i < 200; i++) {
      script.receive(". seq " + (100 + 2 * i) + " ack 1 len 1");
    }
    long dropped = script.stack.counters().outOfOrderDropped;
    assertThat(dropped).isPositive();
    script.handler.takeEvents();
    script.receive(". seq 1 ack 1 len 600");
    assertThat(script.stream.receivePosition()).isEqualTo(600);
    assertThat(script.stack.packetsHeld()).isZero();
    assertThat(script.stack.counters().octetsIn).isEqualTo(600);
  }

  @Test
  @DisplayName("RFC 5044 A.3: a handler may answer from within; every octet is acknowledged")
  void shouldAcknowledgeWhatAnAnswerFromWithinDidNotCover() {
    Script script = new Script();
    script.listen((stream, address, port) -> {
      script.stream = stream;
      return new Recorder() {
        @Override
        public void onSegment(long position, long address, int length, long packet) {
          if (position == 0) {
            script.queue(10);
          }
        }
      };
    });
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.receive(". seq 1 ack 1");
    script.receive(". seq 101 ack 1 len 100");
    script.expect(". seq 1 ack 1");
    script.receive(". seq 1 ack 1 len 100");
    script.expect("P. seq 1 ack 101 len 10");
    script.expect(". seq 11 ack 201");
  }

  @Test
  @DisplayName("RFC 9293 3.4: positions go on where sequence numbers wrap")
  void shouldHandUpAcrossTheWrapOfSequenceNumbers() {
    Script script = with(1, 1001, 1001, 2001, 2001, 3001, 3001, 4001);
    script.receive(". seq 4091 ack 1 len 20");
    script.receive(". seq 4121 ack 1 len 20");
    assertThat(script.handler.takeEvents()).containsExactly("4091+20", "4121+20");
    script.receive(". seq 4001 ack 1 len 110");
    assertThat(script.handler.takeEvents()).containsExactly("4001+90", "edge 4111");
    script.receive(". seq 4111 ack 1 len 10");
    assertThat(script.handler.takeEvents()).containsExactly("4111+10", "edge 4141");
  }

  @Test
  @DisplayName("RFC 9293 3.8.5: an urgent pointer behind a gap changes nothing")
  void shouldHandUpUrgentOctetsEarlyAsAnyOther() {
    Script script = Script.established();
    script.receive("UP. seq 101 ack 1 len 10");
    script.receive("U. seq 1 ack 1 len 100");
    assertThat(script.handler.takeEvents()).containsExactly("101+10", "1+100", "edge 111");
  }

  @Test
  @DisplayName("RFC 9293 3.6: early octets are taken in FIN-WAIT-1 and FIN-WAIT-2 too")
  void shouldReceiveEarlyWhenOurHalfIsClosed() {
    Script script = Script.established();
    script.stream.closeSend();
    script.turn();
    script.expect("F. seq 1 ack 1");
    script.receive(". seq 101 ack 1 len 100");
    script.receive(". seq 301 ack 2 len 100");
    script.receive(". seq 1 ack 2 len 100");
    script.receive("F. seq 401 ack 2");
    script.receive(". seq 201 ack 2 len 100");
    assertThat(script.handler.takeEvents())
        .containsExactly(
            "101+100",
            "301+100",
            "1+100",
            "edge 201",
            "201+100",
            "edge 401",
            "peer closed",
            "closed NORMAL");
  }

  @Test
  @DisplayName(
      "RFC 9293 3.10.7.4: octets of a user that needs them in order wait for the gap to close")
  void shouldLetOctetsWaitForAUserThatWantsThemInOrder() {
    Script script = new Script();
    Recorder user = new Recorder();
    script.listen((stream, address, port) -> {
      script.stream = stream;
      return new InOrderHandler(user);
    });
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.receive(". seq 1 ack 1");
    script.receive(". seq 201 ack 1 len 100");
    script.receive(". seq 101 ack 1 len 50");
    assertThat(user.takeEvents()).containsExactly("open");
    script.receive(". seq 1 ack 1 len 100");
    script.receive(". seq 151 ack 1 len 60");
    script.receive("F. seq 301 ack 1");
    assertThat(user.takeEvents())
        .containsExactly("1+100", "101+50", "151+50", "201+100", "peer closed");
    script.receive(". seq 302 ack 1");
    script.stream.abort();
    script.turn();
    assertThat(script.pool.available()).isEqualTo(script.pool.capacity());
  }

  @Test
  @DisplayName(
      "RFC 9293 3.10.7.4: packets received out of order are released when the connection ends")
  void shouldGiveBackWhatWaited() {
    Script script = new Script();
    Recorder user = new Recorder();
    script.listen((stream, address, port) -> new InOrderHandler(user));
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.receive(". seq 1 ack 1");
    script.receive(". seq 201 ack 1 len 100");
    script.receive("R seq 1");
    assertThat(user.takeEvents()).containsExactly("open", "closed RESET");
    script.turn();
    assertThat(script.pool.available()).isEqualTo(script.pool.capacity());
  }
}
