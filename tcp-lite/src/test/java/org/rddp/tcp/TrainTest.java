package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.device.FrameDevice;
import org.rddp.device.OffloadingDevice;
import org.rddp.device.Offloads;
import org.rddp.device.ScriptedDevice;

/** Several segments that leave, or come, as one frame, which somebody may cut or nobody does. */
@ParameterizedClass(name = "whole {0}")
@ValueSource(booleans = {false, true})
class TrainTest {
  private static final int LONGEST = 10_000;

  @Parameter private boolean whole;

  private Script script;
  private OffloadingDevice card;

  private void open(TcpSettings settings) {
    open(settings, Offloads.NONE);
  }

  private void open(TcpSettings settings, int offloads) {
    open(settings, offloads, 1000);
  }

  private void open(TcpSettings settings, int offloads, int mss) {
    script = new Script(settings, 1500, device -> wrap(device, offloads));
    script.connect();
    script.expect(settings.ecn() ? "SEW seq 0" : "S seq 0");
    String options = settings.ecn() ? "SE. " : "S. ";
    script.receive(options + "seq 0 ack 1 win 65535 mss " + mss);
    script.expect(". seq 1 ack 1");
  }

  private FrameDevice wrap(FrameDevice device, int offloads) {
    ((ScriptedDevice) device).longest = LONGEST;
    if (offloads == Offloads.NONE) {
      return whole ? new OffloadingDevice(device, Offloads.WHOLE) : device;
    }
    card = new OffloadingDevice(device, offloads);
    return card;
  }

  @AfterEach
  void shouldGiveEveryPacketBack() {
    script.stack.close();
    script.device.letGo();
    assertThat(script.pool.available()).isEqualTo(script.pool.capacity());
    assertThat(script.pool.longAvailable()).isEqualTo(script.pool.longCapacity());
  }

  /** Writes a segment of the stream's next octets, as the user of TCP does. */
  private void put(int length, boolean more) {
    script.put(length, false, true, more);
  }

  private void putFull(int segments) {
    for (int i = 0; i < segments; i++) {
      put(1000, true);
    }
  }

  @Test
  @DisplayName("RFC 5044 A: segments one behind the other leave as one frame at the turn's end")
  void shouldSendSegmentsAsOneFrame() {
    open(Script.plain());
    putFull(3);
    script.stack.receive(script.now);
    script.expectNothing();
    script.turn();
    script.expect("P. seq 1 len 3000");
    script.expectNothing();
    assertThat(script.stack.counters().trainsOut).isOne();
    assertThat(script.stack.counters().trainSegmentsOut).isEqualTo(3);
    assertThat(script.stack.counters().octetsOut).isEqualTo(3000);
    assertThat(script.stack.packetsHeld()).isOne();
    script.receive(". seq 1 ack 3001");
    assertThat(script.stack.packetsHeld()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {255, 256})
  @DisplayName("a card that cuts is not asked for segments that it may take for malicious")
  void shouldNotSendShortSegmentsAsOneFrame(int octets) {
    open(Script.plain(), Offloads.CHECKSUM | Offloads.SEGMENTATION);
    for (int i = 0; i < 3; i++) {
      put(octets, true);
    }
    script.turn();
    for (int i = 0; i < 3; i++) {
      script.expect(". seq " + (1 + i * octets) + " len " + octets);
    }
    assertThat(card.cut).isEqualTo(octets < 256 ? 0 : 1);
  }

  @Test
  @DisplayName("RFC 9768 3.3.4: while ACE has the bit of CWR, which cards clear, none leave")
  void shouldSendNoTrainWhileAceHasTheBitOfCwr() {
    script =
        new Script(
            Script.plain().withEcn(true).withAccurateEcn(AccurateEcn.ASK),
            1500,
            device -> wrap(device, Offloads.NONE));
    script.connect();
    script.expect("SAWE seq 0");
    script.receive("SW. seq 0 ack 1 win 65535 mss 1000");
    script.expect(". seq 1 ack 1 ace 2");
    putFull(2);
    script.turn();
    script.expect("P. seq 1 len 2000 ace 5");
    script.receive(". seq 1 ack 2001 len 10 ace 5 ecn 3");
    script.expect(". seq 2001 ack 11 ace 6");
    putFull(2);
    script.turn();
    if (whole) {
      script.expect("P. seq 2001 len 2000 ace 6");
      return;
    }
    script.expect(". seq 2001 len 1000 ace 6");
    script.expect("P. seq 3001 len 1000 ace 6");
  }

  @Test
  void shouldGiveNoLongPacketWhereSegmentsAreShort() {
    open(Script.plain(), Offloads.CHECKSUM | Offloads.SEGMENTATION, 255);
    put(100, true);
    assertThat(script.stream.trainSegment()).isZero();
  }

  @Test
  @DisplayName("RFC 5044 A.2: a segment with fewer octets waits for others that fill it")
  void shouldGoOnBehindASegmentThatIsFilled() {
    open(Script.plain());
    putFull(2);
    put(300, true);
    assertThat(script.stream.trainSegment()).isEqualTo(700);
    assertThat(script.stream.openRoom()).isEqualTo(700);
    script.pack(200, true);
    assertThat(script.stream.openRoom()).isEqualTo(500);
    script.pack(500, true);
    assertThat(script.stream.trainSegment()).isEqualTo(1000);
    assertThat(script.stream.openRoom()).isZero();
    put(1000, true);
    script.turn();
    script.expect("P. seq 1 len 4000");
    assertThat(script.stack.counters().trainSegmentsOut).isEqualTo(4);
    script.receive(". seq 1 ack 2001");
    script.pass(3 * Script.SECOND);
    script.expect(". seq 2001 len 1000");
    script.receive(". seq 1 ack 4001");
    assertThat(script.stack.packetsHeld()).isZero();
  }

  @Test
  void shouldEndWithASegmentThatStaysShorter() {
    open(Script.plain());
    putFull(2);
    put(300, true);
    assertThatThrownBy(() -> script.stream.commit(701, true))
        .isInstanceOf(IllegalStateException.class);
    script.turn();
    script.expect("P. seq 1 len 2300");
    putFull(1);
    put(300, false);
    script.stack.transmit(script.now);
    script.expect("P. seq 2301 len 1300");
  }

  @Test
  @DisplayName("what may not share a segment begins another frame")
  void shouldEndBeforeASegmentThatIsNotPacked() {
    open(Script.plain());
    putFull(2);
    put(300, true);
    put(400, true);
    assertThat(script.stream.trainSegment()).isEqualTo(400);
    script.turn();
    script.expect(". seq 1 len 2300");
    script.expect("P. seq 2301 len 400");
  }

  @Test
  void shouldBeFilledInAnotherProcess() {
    open(Script.plain());
    putFull(2);
    put(300, true);
    script.goOn(script.snapshot());
    assertThat(script.stream.openRoom()).isEqualTo(700);
    script.pack(700, true);
    put(1000, true);
    script.turn();
    script.expect("P. seq 1 len 4000");
  }

  @Test
  void shouldLeaveAtOnceWhenNothingMoreFollows() {
    open(Script.plain());
    put(1000, true);
    put(1000, false);
    assertThat(script.stream.trainSegment()).isZero();
    script.stack.transmit(script.now);
    script.expect("P. seq 1 len 2000");
  }

  @Test
  @DisplayName("a train is not longer than the device's longest frame")
  void shouldEndWhenTheFrameIsFull() {
    open(Script.plain());
    putFull(9);
    assertThat(script.stream.trainSegment()).isZero();
    put(1000, true);
    script.turn();
    script.expect(". seq 1 len 9000");
    script.expect("P. seq 9001 len 1000");
  }

  @Test
  @DisplayName("RFC 5681 3.1: a train has as many segments as the congestion window allows")
  void shouldBeSendableAsLongAsTheWindowsHaveRoom() {
    open(Script.plain());
    int segments = 0;
    while (script.stream.sendable()) {
      put(1000, true);
      segments++;
    }
    assertThat(segments).isEqualTo(10);
    script.turn();
    script.expect(". seq 1 len 9000");
    script.expect("P. seq 9001 len 1000");
  }

  @Test
  @DisplayName("RFC 9293 3.8.6: nothing of a train is sent beyond the peer's window")
  void shouldSendWhatTheWindowHasRoomFor() {
    open(Script.plain());
    script.receive(". seq 1 ack 1 win 2500");
    putFull(4);
    script.turn();
    script.expect(". seq 1 len 2000");
    script.expectNothing();
    script.receive(". seq 1 ack 1 win 4000");
    script.expect(". seq 2001 len 1000");
    script.expect("P. seq 3001 len 1000");
    script.receive(". seq 1 ack 4001");
  }

  @Test
  @DisplayName("RFC 5681 3.1: nothing of a train is sent beyond the congestion window")
  void shouldSendWhatTheCongestionWindowAllows() {
    open(Script.plain());
    putFull(9);
    script.turn();
    script.expect("P. seq 1 len 9000");
    putFull(4);
    script.turn();
    script.expect(". seq 9001 len 1000");
    script.expectNothing();
    script.receive(". seq 1 ack 9001");
    assertThat(script.drain()).isPositive();
    script.receive(". seq 1 ack 13001");
    assertThat(script.stream.unacknowledged()).isZero();
  }

  @Test
  @DisplayName("RFC 6298 5.4: what is lost of a train is sent again by itself")
  void shouldSendALostSegmentByItself() {
    open(Script.plain());
    putFull(5);
    script.turn();
    script.expect("P. seq 1 len 5000");
    script.receive(". seq 1 ack 1001");
    script.pass(3 * Script.SECOND);
    script.expect(". seq 1001 len 1000");
    script.expectNothing();
    script.receive(". seq 1 ack 5001");
    assertThat(script.stream.unacknowledged()).isZero();
  }

  @Test
  @DisplayName("RFC 6298 5.4: the first one of a train does not overwrite those behind it")
  void shouldSendTheFirstSegmentAgain() {
    open(Script.plain());
    putFull(3);
    script.turn();
    script.expect("P. seq 1 len 3000");
    script.pass(3 * Script.SECOND);
    script.expect(". seq 1 len 1000");
    script.receive(". seq 1 ack 1001");
    script.expect(". seq 1001 len 1000");
    script.expect("P. seq 2001 len 1000");
    script.receive(". seq 1 ack 3001");
  }

  @Test
  @DisplayName("RFC 3168 6.1.2: CWR goes in a segment of its own, as a card would repeat it")
  void shouldNotBeginWithCwr() {
    open(Script.plain().withEcn(true));
    script.send(1000);
    script.expect("P. seq 1 len 1000 ecn 2");
    script.receive("E. seq 1 ack 1001");
    script.drain();
    putFull(2);
    script.turn();
    if (whole) {
      script.expect("PW. seq 1001 len 2000 ecn 2");
    } else {
      script.expect("W. seq 1001 len 1000 ecn 2");
      script.expect("P. seq 2001 len 1000 ecn 2");
    }
    script.receive(". seq 1 ack 3001");
    putFull(2);
    script.turn();
    script.expect("P. seq 3001 len 2000 ecn 2");
  }

  @Test
  @DisplayName("RFC 9293 3.9.1: a FIN follows the train at once, in a segment of its own")
  void shouldEndBeforeTheFin() {
    open(Script.plain());
    putFull(2);
    script.close();
    script.expect("P. seq 1 len 2000");
    script.expect("F. seq 2001");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, Offloads.SUM_WITH_LENGTH})
  @DisplayName("RFC 5044 A: a card cuts a train where its segments end")
  void shouldBeCutByACard(int more) {
    open(Script.plain(), Offloads.CHECKSUM | Offloads.SEGMENTATION | more);
    for (int i = 0; i < 3; i++) {
      put(996, true);
    }
    put(300, true);
    script.stack.transmit(script.now);
    script.expect(". seq 1 len 996");
    script.expect(". seq 997 len 996");
    script.expect(". seq 1993 len 996");
    script.expect("P. seq 2989 len 300");
    assertThat(card.cut).isOne();
  }

  @Test
  @DisplayName("RFC 1191 6.4: a train that the path no longer carries leaves in smaller segments")
  void shouldBeCutHereWhenThePathCarriesLess() {
    open(Script.plain());
    put(1000, true);
    script.turn();
    script.expect("P. seq 1 len 1000");
    putFull(2);
    script.receiveTooBig(1, 1040, 540);
    script.expect(". seq 1 len 500");
    script.receive(". seq 1 ack 501");
    script.drain();
    script.receive(". seq 1 ack 3001");
    assertThat(script.stream.unacknowledged()).isZero();
  }

  @Test
  void shouldRefuseASegmentThatIsLongerThanThoseBefore() {
    open(Script.plain());
    assertThatThrownBy(() -> script.stream.commit(1, true))
        .isInstanceOf(IllegalStateException.class);
    put(1000, true);
    assertThatThrownBy(() -> script.stream.commit(1004, true))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("1004");
    script.turn();
    script.expect("P. seq 1 len 1000");
  }

  @Test
  @DisplayName("RFC 5044 A.2: nothing is packed into the segments of a train")
  void shouldNotBeAnOpenSegment() {
    open(Script.plain());
    put(900, true);
    assertThat(script.stream.openRoom()).isZero();
    script.pack(50, true);
    script.turn();
    script.expect("P. seq 1 len 950");
    assertThat(script.stack.counters().trainSegmentsOut).isEqualTo(2);
  }

  @Test
  void shouldUseOrdinaryPacketsWhenLongOnesHaveRunOut() {
    open(Script.plain());
    long[] all = new long[script.pool.longCapacity()];
    for (int i = 0; i < all.length; i++) {
      all[i] = script.pool.allocateLong();
    }
    put(1000, true);
    assertThat(script.stream.trainSegment()).isZero();
    assertThat(script.stream.sendable()).isTrue();
    for (long each : all) {
      script.pool.release(each);
    }
  }

  /** Opens another connection. */
  private TcpStream another(int port) {
    script.turn();
    script.drain();
    TcpConnection connection = script.stack.connect(Script.THEIRS, port, new Recorder());
    script.theirPort = port;
    script.ourPort = connection.localPort();
    script.turn();
    script.expect("S seq 0");
    script.receive("S. seq 0 ack 1 win 65535 mss 1000");
    script.drain();
    return connection;
  }

  /** Begins trains that the peer does not acknowledge, while there is a long packet. */
  private int fill(TcpStream stream) {
    int count = 0;
    int left = script.pool.longAvailable();
    // A segment that is longer than those of the train before begins another.
    while (stream.reserve(900 + count, false, true) != 0 && script.pool.longAvailable() < left) {
      stream.commit(900 + count, true);
      left = script.pool.longAvailable();
      count++;
    }
    script.pool.release(script.stack.context.reserved);
    script.stack.context.reserved = 0;
    return count;
  }

  @Test
  @DisplayName("Limits: trains leave half of the long packets to reception, and some to each peer")
  void shouldLeaveHalfOfTheLongPacketsToReception() {
    open(Script.plain());
    int ourPort = script.ourPort;
    int ourSequence = script.ourSequence;
    assertThat(script.pool.longCapacity()).isEqualTo(32);
    assertThat(fill(script.stream)).isEqualTo(8);
    int ofPeer = 8;
    for (int port = 8; port < 12; port++) {
      ofPeer += fill(another(port));
    }
    assertThat(ofPeer).isEqualTo(12);
    assertThat(script.pool.longAvailable()).isEqualTo(32 - 12);
    assertThat(script.stack.context.sentTrains.grants(0, 0)).as("to another peer").isTrue();
    script.turn();
    script.drain();
    script.theirPort = 7;
    script.ourPort = ourPort;
    script.ourSequence = ourSequence;
    script.handler.takeEvents();
    script.receive(". seq 1 ack 7229 len 9000");
    assertThat(script.stack.trainsHeld()).isEqualTo(4);
    assertThat(script.handler.takeEvents()).contains("1+9000");
    assertThat(fill(script.stream)).isEqualTo(6);
  }

  @Test
  @DisplayName("a packet that the device still holds is not written: its segments go as copies")
  void shouldCopyWhatTheDeviceHolds() {
    open(Script.plain());
    script.device.keeps = true;
    putFull(3);
    script.turn();
    script.expect("P. seq 1 len 3000");
    script.pass(3 * Script.SECOND);
    script.expect(". seq 1 len 1000");
    assertThat(script.stack.counters().copied).isOne();
    script.receive(". seq 1 ack 3001");
  }

  @Test
  @DisplayName("RFC 9293 3.8.6.3: a frame of several segments is acknowledged at once")
  void shouldAcknowledgeSeveralSegmentsAtOnce() {
    open(
        Script.plain().withAcknowledgmentDelay(100 * Script.MILLISECOND).withReceiveBuffer(60_000));
    script.receive(". seq 1 ack 1 len 500");
    script.expectNothing();
    script.pass(100 * Script.MILLISECOND);
    script.expect(". seq 1 ack 501");
    assertThat(script.stack.counters().trainsIn).isZero();
    script.receive(". seq 501 ack 1 len 9800");
    script.expect(". seq 1 ack 10301");
    assertThat(script.stack.counters().trainsIn).isOne();
    // The MSS that we have announced is 1460.
    assertThat(script.stack.counters().trainSegmentsIn).isEqualTo(7);
  }

  @Test
  @DisplayName("a full segment is no train, whatever the peer's MSS")
  void shouldCountNoFullSegmentAsATrain() {
    open(Script.plain().withReceiveBuffer(60_000));
    script.receive(". seq 1 ack 1 len 1460");
    assertThat(script.stack.counters().trainsIn).isZero();
    script.receive(". seq 1461 ack 1 len 1461");
    assertThat(script.stack.counters().trainsIn).isOne();
    assertThat(script.stack.counters().trainSegmentsIn).isEqualTo(2);
  }

  @Test
  @DisplayName("few long packets are kept out of order, so that others remain")
  void shouldKeepFewLongPacketsOutOfOrder() {
    open(Script.plain().withReceiveBuffer(60_000));
    script.receiveTogether(
        ". seq 10001 ack 1 len 9800", ". seq 20001 ack 1 len 9800", ". seq 30001 ack 1 len 9800");
    assertThat(script.stack.counters().outOfOrder).isEqualTo(3);
    int weight = script.pool.capacity() / script.pool.longCapacity();
    assertThat(script.stack.context.earlyPackets.used()).isEqualTo(3 * weight);
    script.receive(". seq 1 ack 1 len 9000");
    script.receive(". seq 9001 ack 1 len 1000");
    assertThat(script.stack.context.earlyPackets.used()).isEqualTo(2 * weight);
  }
}
