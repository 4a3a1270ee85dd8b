package org.rddp.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStream;
import org.rddp.tcp.testing.StreamHandlerAdapter;

/** Two hosts on a link. */
class SimulatedHostTest {
  private static final long MILLISECOND = 1_000_000;
  private static final long SECOND = 1000 * MILLISECOND;
  private static final int OCTETS = 300_000;

  private static final TcpSettings SETTINGS =
      TcpSettings.DEFAULTS.withMaximumRetransmission(2 * SECOND).withUserTimeout(300 * SECOND);

  private final Network network = new Network(1);
  private final SimulatedHost client = network.host("10.0.0.1", SETTINGS);
  private final SimulatedHost server = network.host("10.0.0.2", SETTINGS);
  private final SimulatedLink link =
      network.join(client.card(), server.card(), WireSettings.PERFECT);
  private final User source = new User(OCTETS);
  private final User sink = new User(0);

  /** Sends a number of octets, and counts those that arrive. */
  private static final class User extends StreamHandlerAdapter {
    private TcpStream stream;
    private int left;
    private int received;
    private CloseReason closed;

    User(int toSend) {
      left = toSend;
    }

    @Override
    public void onOpen(TcpStream opened) {
      stream = opened;
      onSendable();
    }

    @Override
    public void onSendable() {
      while (left > 0 && stream.sendable()) {
        long packet = stream.allocate();
        int length = Math.min(left, stream.emss());
        stream.pool().window(packet, stream.pool().address(packet), length);
        left -= length;
        stream.send(packet);
      }
      if (left == 0) {
        stream.closeSend();
      }
    }

    @Override
    public void onSegment(long position, long address, int length, long packet) {
      received += length;
      stream.consumed(length);
    }

    @Override
    public void onClosed(CloseReason reason) {
      closed = reason;
    }
  }

  private void transfer(WireSettings settings) {
    link.forward().settings(settings);
    link.backward().settings(settings);
    server.stack().listen(7, (stream, address, port) -> sink);
    client.stack().connect(server.address(), 7, source);
    client.scheduleTurn();
    boolean done =
        network.run(
            () -> client.stack().connections() + server.stack().connections() == 0,
            network.now() + 300 * SECOND);
    assertThat(done).isTrue();
    assertThat(source.closed).isEqualTo(CloseReason.NORMAL);
    assertThat(sink.closed).isEqualTo(CloseReason.NORMAL);
    assertThat(sink.received).isEqualTo(OCTETS);
    assertThat(client.pool().available()).isEqualTo(client.pool().capacity());
    assertThat(server.pool().available()).isEqualTo(server.pool().capacity());
    assertThat(network.frames().used()).isZero();
  }

  @Test
  void shouldTransferOverAPerfectLink() {
    long began = network.now();
    transfer(WireSettings.PERFECT.withDelay(5 * MILLISECOND));
    assertThat(client.stack().counters().retransmitted).isZero();
    assertThat(network.now() - began).isLessThan(2 * SECOND);
  }

  @Test
  void shouldTransferOverABadLink() {
    transfer(
        WireSettings.PERFECT
            .withBandwidth(100_000_000)
            .withQueue(100_000)
            .withDelay(5 * MILLISECOND)
            .withJitter(MILLISECOND)
            .withLoss(0.1)
            .withReorder(0.05)
            .withReorderDelay(5 * MILLISECOND)
            .withDuplicate(0.05)
            .withCorrupt(0.05)
            .withCorruptUnseen(0.05)
            .withMark(0.05));
    assertThat(client.stack().counters().retransmitted).isPositive();
    assertThat(server.stack().counters().outOfOrder).isPositive();
    assertThat(network.counters().count(NetworkEvent.CORRUPTED)).isPositive();
    assertThat(network.counters().count(NetworkEvent.CORRUPTED_UNSEEN)).isPositive();
  }

  @Test
  void shouldHoldPacketsThatItHasSent() {
    client.card().hold(20 * MILLISECOND, 3);
    transfer(WireSettings.PERFECT.withDelay(MILLISECOND).withLoss(0.1));
    assertThat(client.stack().counters().retransmitted).isPositive();
  }

  @Test
  void shouldTransferThroughABoxThatReSegments() {
    link.reSegment(0.5);
    transfer(WireSettings.PERFECT.withDelay(MILLISECOND).withLoss(0.01));
    assertThat(network.counters().count(NetworkEvent.SPLIT)).isPositive();
    assertThat(network.counters().count(NetworkEvent.COALESCED)).isPositive();
  }

  @Test
  void shouldTransferThroughABoxThatFragments() {
    link.fragment(576);
    transfer(WireSettings.PERFECT.withDelay(MILLISECOND));
    long fragmented = network.counters().count(NetworkEvent.FRAGMENTED);
    assertThat(server.stack().ipCounters().reassembled).isPositive().isEqualTo(fragmented);
  }

  @Test
  void shouldTransferToACardThatMissesFrames() {
    server.card().receiveRing(3);
    transfer(WireSettings.PERFECT.withDelay(MILLISECOND));
    assertThat(server.card().missed()).isPositive();
  }
}
