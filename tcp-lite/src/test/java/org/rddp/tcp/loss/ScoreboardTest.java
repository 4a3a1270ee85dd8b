package org.rddp.tcp.loss;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.rddp.device.NativePacketPool;
import org.rddp.wire.Memory;

/** Invariants of the scoreboard, by random walks. */
class ScoreboardTest {
  private static final int HEADERS = 110;

  private final NativePacketPool pool = new NativePacketPool(400, 1024);
  private final FlightPool memory = new FlightPool(pool, new LossCounters());
  private final SegmentQueue queue = new SegmentQueue(memory, pool);
  private final DeliveredSegments delivery = new DeliveredSegments();
  private final Scoreboard board = new Scoreboard(queue, delivery);
  private long now;

  private void begin(long position) {
    queue.begin(position);
    board.begin();
    delivery.clear();
  }

  private void add(int length) {
    add(length, false);
  }

  private void add(int length, boolean whole) {
    long packet = pool.allocate();
    long address = pool.address(packet);
    for (int i = 0; i < length; i++) {
      Memory.putByte(address + i, (int) (queue.endPosition() + i));
    }
    pool.window(packet, address, length);
    queue.addTrain(packet, 1024, whole);
  }

  /**
   * Adds a segment of at most {@code length} octets behind the last one if nothing in that one's
   * packet has been sent.
   */
  private void addBehind(int length) {
    int octets = Math.min(length, queue.trainSegment(1024));
    long packet = queue.packet(queue.last());
    long first = queue.tail() - 1;
    while (first > queue.head() && queue.follows(queue.slot(first))) {
      first--;
    }
    long end = pool.address(packet) + pool.length(packet);
    if (first >= board.unsent() && octets > 0) {
      for (int i = 0; i < octets; i++) {
        Memory.putByte(end + i, (int) (queue.endPosition() + i));
      }
      queue.addBehind(octets);
    }
  }

  private void sendNext() {
    send(queue.slot(board.unsent()));
  }

  /** A segment is sent: in its packet, with headers, if none lies in front of it there. */
  private void send(int slot) {
    if (!queue.follows(slot)) {
      long header = queue.payload(slot) - HEADERS;
      for (int i = 0; i < HEADERS; i++) {
        Memory.putByte(header + i, 0);
      }
      pool.window(queue.packet(slot), header, HEADERS + queue.length(slot));
    }
    board.sent(slot, now++);
  }

  private int slotAt(SplittableRandom random) {
    return queue.slot(queue.head() + random.nextInt(board.outstanding()));
  }

  /** Every octet is where it belongs, and every octet sent is in one place. */
  private void check() {
    long at = queue.headPosition();
    long[] octets = new long[4];
    int sacked = 0;
    int packets = 0;
    for (long number = queue.head(); number < queue.tail(); number++) {
      int slot = queue.slot(number);
      assertThat(queue.position(slot)).isEqualTo(at);
      for (int i = 0; i < queue.length(slot); i++) {
        assertThat(Memory.getByte(queue.payload(slot) + i)).isEqualTo((int) (at + i) & 0xff);
      }
      at += queue.length(slot);
      packets += queue.follows(slot) ? 0 : 1;
      byte state = queue.arrays.states[slot];
      assertThat(state == Scoreboard.UNSENT).isEqualTo(number >= board.unsent());
      octets[state] += queue.length(slot);
      sacked += board.sacked(slot) ? 1 : 0;
    }
    assertThat(at).isEqualTo(queue.endPosition());
    assertThat(queue.packets()).isEqualTo(packets);
    assertThat(pool.capacity() - pool.available()).isEqualTo(packets);
    assertThat(board.inFlight()).isEqualTo(octets[Scoreboard.IN_FLIGHT]);
    assertThat(board.lostOctets()).isEqualTo(octets[Scoreboard.LOST]);
    assertThat(board.sackedOctets()).isEqualTo(octets[Scoreboard.SACKED]);
    assertThat(board.sackedSegments()).isEqualTo(sacked);
    checkOrder();
  }

  /** What is in flight is listed in the order of transmission. */
  private void checkOrder() {
    long listed = 0;
    long serial = -1;
    for (int slot = board.oldest(); slot != SegmentQueue.NONE; slot = board.sentAfter(slot)) {
      assertThat(queue.arrays.serials[slot]).isGreaterThan(serial);
      serial = queue.arrays.serials[slot];
      listed += queue.length(slot);
    }
    assertThat(listed).isEqualTo(board.inFlight());
  }

  @Test
  void shouldAccountForEveryOctetWhateverHappensToTheSegments() {
    SplittableRandom random = new SplittableRandom(4);
    for (int life = 0; life < 20; life++) {
      begin(random.nextInt(1000));
      for (int step = 0; step < 400; step++) {
        step(random);
        check();
      }
      queue.end();
      assertThat(pool.available()).isEqualTo(pool.capacity());
    }
  }

  private void step(SplittableRandom random) {
    boolean any = board.outstanding() > 0;
    int what = random.nextInt(11);
    if (what < 3 && queue.size() < 100) {
      int length = 2 + random.nextInt(100);
      if (queue.size() > 0 && random.nextBoolean()) {
        addBehind(length);
      } else {
        add(length, random.nextInt(3) == 0);
      }
    } else if (what < 5 && board.unsent() < queue.tail()) {
      sendNext();
    } else if (what == 5 && any) {
      board.sack(slotAt(random));
    } else if (what == 6 && board.oldest() != SegmentQueue.NONE) {
      board.lose(board.oldest());
    } else if (what == 7 && board.firstLost() != SegmentQueue.NONE) {
      send(board.firstLost());
    } else if (what == 8 && queue.size() > 0) {
      split(random);
    } else if (what == 9 && any) {
      long ack = queue.headPosition() + random.nextInt(300);
      board.acknowledge(Math.min(ack, queue.position(queue.slot(board.unsent() - 1))));
    } else if (what == 10 && any) {
      send(slotAt(random));
    }
  }

  private void split(SplittableRandom random) {
    long number = queue.head() + random.nextInt(queue.size());
    int slot = queue.slot(number);
    boolean may = board.lost(slot) || number >= board.unsent();
    if (may && queue.length(slot) > 1) {
      board.split(number, 1 + random.nextInt(queue.length(slot) - 1));
    }
  }

  @Test
  void shouldKeepAPacketUntilItsLastSegmentIsAcknowledged() {
    begin(0);
    add(100);
    addBehind(100);
    addBehind(60);
    for (int i = 0; i < 3; i++) {
      sendNext();
    }
    int last = queue.last();
    assertThat(queue.follows(last)).isTrue();
    board.acknowledge(100);
    assertThat(queue.follows(last)).as("the second one is in front of it").isTrue();
    board.acknowledge(200);
    assertThat(queue.follows(last)).as("what was in front is acknowledged").isFalse();
    assertThat(queue.packets()).isOne();
    assertThat(pool.available()).isEqualTo(pool.capacity() - 1);
    board.acknowledge(260);
    assertThat(queue.packets()).isZero();
    assertThat(pool.available()).isEqualTo(pool.capacity());
  }

  @Test
  void shouldListWhatIsRestoredBeforeWhatWasSentLater() {
    begin(0);
    for (int i = 0; i < 6; i++) {
      add(10);
      sendNext();
    }
    board.loseAll();
    board.sent(board.firstLost(), now++);
    board.restoreLost();
    assertThat(board.lostOctets()).isZero();
    assertThat(board.inFlight()).isEqualTo(60);
    assertThat(board.oldest()).isEqualTo(queue.slot(1));
  }

  @Test
  void shouldTakeNoRoundTripFromSegmentsThatWaitedForARetransmission() {
    begin(0);
    for (int i = 0; i < 4; i++) {
      add(100);
    }
    now = 1000;
    for (int i = 0; i < 4; i++) {
      sendNext();
    }
    board.sent(queue.slot(1), 2000);
    board.acknowledge(100);
    assertThat(delivery.roundTrip(3000)).isEqualTo(2000);
    delivery.clear();
    board.acknowledge(300);
    assertThat(delivery.roundTrip(3000)).isZero();
    delivery.clear();
    board.acknowledge(400);
    assertThat(delivery.roundTrip(3000)).isEqualTo(1997);
  }

  @Test
  void shouldFindTheSegmentThatHoldsAPosition() {
    begin(500);
    for (int i = 0; i < 50; i++) {
      add(10);
    }
    assertThat(queue.find(500)).isZero();
    assertThat(queue.find(509)).isZero();
    assertThat(queue.find(510)).isEqualTo(1);
    assertThat(queue.find(999)).isEqualTo(49);
    assertThat(queue.find(1000)).isEqualTo(50);
  }

  @Test
  void shouldGiveArraysBackAndTakeThemAgain() {
    begin(0);
    for (int i = 0; i < 100; i++) {
      add(2);
    }
    SegmentArrays large = queue.arrays;
    queue.end();
    begin(0);
    for (int i = 0; i < 100; i++) {
      add(2);
    }
    assertThat(queue.arrays).isSameAs(large);
  }
}
