package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.rddp.ip.Ipv4Address;
import org.rddp.tcp.storage.PacketBudget;

/** The limits of all connections with one remote address. The pool has 512 packets. */
class PeerLimitsTest {
  private static final Ipv4Address ANOTHER = Ipv4Address.parse("10.0.0.3");

  private static int fill(Script script, TcpStream stream) {
    int count = 0;
    long packet = stream.allocate();
    while (packet != 0) {
      script.pool.window(packet, script.pool.address(packet), 1);
      stream.send(packet);
      count++;
      packet = stream.allocate();
    }
    return count;
  }

  @Test
  @DisplayName("RFC 4987 3.3: a peer may begin only so many handshakes, then gets cookies")
  void shouldBoundHandshakesPerPeer() {
    Script script = new Script(Script.plain().withPeerBacklog(2));
    script.listen();
    for (int port = 1; port <= 3; port++) {
      script.theirPort = port;
      script.receive("S seq 0 mss 1000");
      script.expect("S. seq 0 ack 1");
    }
    assertThat(script.stack.connections()).isEqualTo(2);
    assertThat(script.stack.counters().synCookiesSent).isEqualTo(1);
    script.theirPort = 1;
    script.receive("R seq 1");
    script.theirPort = 4;
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    assertThat(script.stack.counters().synCookiesSent).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 4987 3.3: one peer's handshakes leave the backlog to another")
  void shouldLeaveTheBacklogToAnotherPeer() {
    Script script = new Script(Script.plain().withPeerBacklog(1).withSynCookies(false));
    script.listen((stream, address, port) -> script.handler);
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.theirPort++;
    script.receive("S seq 0 mss 1000");
    script.expectNothing();
    script.receiveFrom(ANOTHER, "S seq 0 mss 1000");
    assertThat(script.stack.connections()).isEqualTo(2);
  }

  @Test
  @DisplayName("Limits: connections with one peer are bounded, whoever opens them")
  void shouldBoundConnectionsPerPeer() {
    Script script = new Script(Script.plain().withPeerConnections(2));
    script.listen();
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.stack.connect(Script.THEIRS, 1, script.handler);
    assertThatThrownBy(() -> script.stack.connect(Script.THEIRS, 2, script.handler))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("2 connections with 10.0.0.2");
    script.turn();
    script.drain();
    script.theirPort = 3;
    script.receive("S seq 0 mss 1000");
    script.expectNothing();
    assertThat(script.stack.counters().synsDropped).isEqualTo(1);
    assertThat(script.stack.connect(ANOTHER, 2, script.handler)).isNotNull();
  }

  @Test
  @DisplayName("Limits: a peer's place is free again when its connection is gone")
  void shouldCountConnectionsThatAreGoneNoLonger() {
    Script script = new Script(Script.plain().withPeerConnections(1));
    for (int i = 0; i < 5; i++) {
      script.connect();
      script.expect("S seq 0");
      script.stream.abort();
    }
    assertThat(script.stack.connections()).isZero();
  }

  @Test
  @DisplayName("Limits: however many connections a peer has, others can still send")
  void shouldLeaveOthersPacketsToSendHoweverManyConnectionsAPeerHas() {
    Script script = new Script();
    for (int port = 1; port <= 20; port++) {
      script.theirPort = port;
      TcpConnection hoarder = script.stack.connect(Script.THEIRS, port, new Recorder());
      fill(script, hoarder);
    }
    assertThat(script.stack.packetsHeld()).isBetween(190, 192);
    TcpConnection victim = script.stack.connect(ANOTHER, 1, script.handler);
    assertThat(fill(script, victim)).isEqualTo(32);
  }

  @Test
  @DisplayName("Limits: the budget leaves something to each of many peers")
  void shouldShareABudget() {
    PacketBudget budget = new PacketBudget(1000);
    int[] kept = new int[4];
    for (int peer = 0; peer < kept.length; peer++) {
      while (budget.grants(0, kept[peer])) {
        kept[peer]++;
        budget.keeps(1);
      }
    }
    assertThat(kept).containsExactly(750, 188, 47, 12);
    assertThat(budget.scarce()).isTrue();
    budget.keeps(-750);
    assertThat(budget.scarce()).isFalse();
    assertThat(budget.used()).isEqualTo(247);
  }

  private static void connect(Script script, int port) {
    script.theirPort = port;
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.receive(". seq 1 ack 1");
  }

  @Test
  @DisplayName("Limits: a peer's packets out of order leave room for another's")
  void shouldLimitPacketsOutOfOrder() {
    Script script = new Script();
    script.listen((stream, address, port) -> new Recorder());
    for (int port = 1; port <= 8; port++) {
      connect(script, port);
      for (int i = 0; i < 100; i++) {
        script.receive(". seq " + (3 + 2 * i) + " ack 1 len 1");
      }
      script.drain();
    }
    // A quarter of the pool is 128.
    assertThat(script.stack.context.earlyPackets.used()).isBetween(90, 96);
    assertThat(script.stack.context.earlyPackets.grants(0, 0)).isTrue();
  }

  /** A user that needs more octets before it can release any packet. */
  private static final class Hoarder extends Recorder {
    private final Script script;
    private final List<Long> kept = new ArrayList<>();

    /** Whether the octets of a segment are all that it needs to release its packets. */
    private boolean completes;

    private Hoarder(Script script) {
      this.script = script;
    }

    @Override
    public void onSegment(long position, long address, int length, long packet) {
      super.onSegment(position, address, length, packet);
      script.pool.retain(packet);
      kept.add(packet);
      stream.keeps(1);
    }

    @Override
    public boolean keepsNoMore(int length, long packet) {
      return completes;
    }

    private void release() {
      kept.forEach(script.pool::release);
      stream.keeps(-kept.size());
      kept.clear();
    }
  }

  @Test
  @DisplayName("Limits: packets that users keep of one peer leave room for another's")
  void shouldLimitPacketsThatUsersKeep() {
    Script script = new Script();
    List<Hoarder> hoarders = new ArrayList<>();
    script.listen((stream, address, port) -> {
      hoarders.add(new Hoarder(script));
      return hoarders.getLast();
    });
    for (int port = 1; port <= 8; port++) {
      connect(script, port);
      for (int i = 0; i < 100; i++) {
        script.receive(". seq " + (1 + hoarders.getLast().kept.size()) + " ack 1 len 1");
      }
      script.drain();
    }
    // As of packets out of order, and the first of each connection.
    assertThat(script.stack.context.earlyPackets.used()).isBetween(90, 96 + hoarders.size());
    assertThat(script.stack.context.earlyPackets.grants(0, 0)).isTrue();
    Hoarder last = hoarders.getLast();
    int before = last.kept.size();
    hoarders.getFirst().release();
    script.receive(". seq " + (1 + before) + " ack 1 len 1");
    assertThat(last.kept).as("the segment was sent again").hasSize(before + 1);
    hoarders.forEach(Hoarder::release);
    assertThat(script.stack.context.earlyPackets.used()).isZero();
  }

  @Test
  @DisplayName("Limits: a gap is closed although packets behind gaps use up the budget")
  void shouldCloseAGapWhenTheBudgetIsUsedUp() {
    Script script = new Script();
    Hoarder user = new Hoarder(script);
    script.listen((stream, address, port) -> user);
    connect(script, 1);
    script.receive(". seq 1 ack 1 len 1");
    for (int i = 0; i < 100; i++) {
      script.receive(". seq " + (3 + 2 * i) + " ack 1 len 1");
    }
    script.drain();
    script.receive(". seq 2 ack 1 len 1");
    assertThat(user.stream.receivePosition()).as("another packet would be kept").isEqualTo(1);
    user.completes = true;
    script.receive(". seq 2 ack 1 len 1");
    assertThat(user.stream.receivePosition()).isEqualTo(3);
    user.release();
  }
}
