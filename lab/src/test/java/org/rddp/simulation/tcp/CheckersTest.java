package org.rddp.simulation.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.rddp.simulation.CorruptedOctets;
import org.rddp.simulation.Network;
import org.rddp.simulation.NetworkEvent;
import org.rddp.simulation.OctetRanges;
import org.rddp.simulation.SegmentView;
import org.rddp.simulation.SimulatedHost;
import org.rddp.simulation.SimulatedLink;
import org.rddp.simulation.Violations;
import org.rddp.simulation.WireSettings;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpState;
import org.rddp.tcp.TcpStream;
import org.rddp.tcp.testing.StreamHandlerAdapter;
import org.rddp.wire.Checksum;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Memory;
import org.rddp.wire.Tcp;

/** The checkers of the simulation detect what they must detect. */
class CheckersTest {
  private static final long SECOND = 1_000_000_000L;

  private final Violations violations = new Violations();
  private final Network network = new Network(3);

  @Test
  void shouldNoticeOctetsThatComeTwice() {
    OctetRanges ranges = new OctetRanges();
    assertThat(ranges.add(0, 10)).isTrue();
    assertThat(ranges.add(20, 10)).isTrue();
    assertThat(ranges.add(9, 1)).isFalse();
    assertThat(ranges.add(25, 1)).isFalse();
    assertThat(ranges.add(15, 6)).isFalse();
    assertThat(ranges.edge()).isEqualTo(10);
    assertThat(ranges.gaps()).isTrue();
    assertThat(ranges.add(10, 10)).isTrue();
    assertThat(ranges.edge()).isEqualTo(30);
    assertThat(ranges.gaps()).isFalse();
  }

  @Test
  void shouldNoticeAStateThatCannotFollow() {
    StateWatch states = new StateWatch(violations);
    states.saw(TcpState.SYN_SENT);
    states.saw(TcpState.FIN_WAIT_2);
    assertThat(violations.isEmpty()).isTrue();
    states.saw(TcpState.ESTABLISHED);
    assertThat(violations.first()).isEqualTo("from state FIN_WAIT_2 to ESTABLISHED");
  }

  /** Transfers on a link that corrupts octets with right checksums. */
  private void transfer(CorruptedOctets corrupted) {
    SimulatedHost client = network.host("10.0.0.1", TcpSettings.DEFAULTS);
    SimulatedHost server = network.host("10.0.0.2", TcpSettings.DEFAULTS);
    WireSettings wire = WireSettings.PERFECT.withDelay(1000).withCorruptUnseen(0.01);
    network.join(client.card(), server.card(), wire);
    SimulatedTcpConnection one =
        new SimulatedTcpConnection(violations, new SplittableRandom(5), 3_000_000, 0);
    server.stack().listen(7, (stream, address, port) -> one.server());
    one.open(client, server, 7, corrupted);
    assertThat(network.run(one::done, network.now() + 600 * SECOND)).isTrue();
    assertThat(network.counters().count(NetworkEvent.CORRUPTED_UNSEEN)).isPositive();
  }

  @Test
  void shouldNoticeAnOctetThatIsWrong() {
    transfer(new CorruptedOctets());
    assertThat(violations.first()).contains("is not what was sent");
  }

  @Test
  void shouldForgiveOnlyWhatTheLinkHasForged() {
    CorruptedOctets corrupted = new CorruptedOctets();
    network.addListener(corrupted);
    transfer(corrupted);
    assertThat(violations.first()).isNull();
  }

  @Test
  void shouldNoticeASegmentWithAWrongChecksum() {
    SegmentWatch segments = new SegmentWatch(violations);
    network.addListener((event, frame, length, detail) -> {
      if (event == NetworkEvent.SENT && SegmentView.isSegment(frame, length)) {
        long octet = frame + length - 1;
        Memory.putByte(octet, Memory.getByte(octet) ^ 1);
        segments.onEvent(event, frame, length, detail);
        Memory.putByte(octet, Memory.getByte(octet) ^ 1);
      }
    });
    transfer(new CorruptedOctets());
    assertThat(violations.first()).isEqualTo("a segment leaves with a wrong checksum");
  }

  @Test
  void shouldNoticeAnAcknowledgmentOfWhatWasNeverSent() {
    SegmentWatch segments = new SegmentWatch(violations);
    network.addListener((event, frame, length, detail) -> {
      boolean segment = event == NetworkEvent.SENT && SegmentView.isSegment(frame, length);
      if (segment && (Tcp.flags(SegmentView.segment(frame)) & Tcp.SYN) == 0) {
        acknowledgeMore(frame, 1_000_000);
        segments.onEvent(event, frame, length, detail);
        acknowledgeMore(frame, -1_000_000);
      } else {
        segments.onEvent(event, frame, length, detail);
      }
    });
    transfer(new CorruptedOctets());
    assertThat(violations.first()).contains("never sent");
  }

  private static void acknowledgeMore(long frame, int more) {
    long segment = SegmentView.segment(frame);
    long packet = SegmentView.packet(frame);
    Memory.putInt(segment + 8, Tcp.acknowledgment(segment) + more);
    Memory.putShort(segment + 16, 0);
    int length = SegmentView.length(frame);
    Tcp.putChecksum(
        segment,
        Checksum.pseudoHeader(
                Ipv4.source(packet), Ipv4.destination(packet), Ipv4.PROTOCOL_TCP, length)
            + Checksum.sum(segment, length));
  }

  /** Sends some segments when the connection is open. */
  private static final class Talker extends StreamHandlerAdapter {
    private static final int SEGMENTS = 5;

    private TcpStream stream;
    private long received;

    @Override
    public void onOpen(TcpStream opened) {
      stream = opened;
      for (int i = 0; i < SEGMENTS; i++) {
        long packet = stream.allocate();
        stream.pool().window(packet, stream.pool().address(packet), stream.emss());
        stream.send(packet);
      }
    }

    @Override
    public void onSegment(long position, long address, int length, long packet) {
      received += length;
      stream.consumed(length);
    }
  }

  /**
   * A host whose peer has ended a connection, and opens another from the same port, goes on with
   * the former until it learns of that.
   */
  @Test
  void shouldTellIncarnationsOfAConnectionApart() {
    network.addListener(new SegmentWatch(violations));
    SimulatedHost client = network.host("10.0.0.1", TcpSettings.DEFAULTS);
    SimulatedHost server = network.host("10.0.0.2", TcpSettings.DEFAULTS);
    SimulatedLink link =
        network.join(client.card(), server.card(), WireSettings.PERFECT.withDelay(1000));
    server.stack().listen(7, (stream, address, port) -> new Talker());
    Talker former = new Talker();
    client.stack().connect(server.address(), 7, 1000, former);
    client.scheduleTurn();
    assertThat(network.run(() -> former.received > 0, network.now() + SECOND)).isTrue();

    link.cut(true);
    former.stream.abort();
    client.scheduleTurn();
    network.run(() -> false, network.now() + SECOND);
    Talker latter = new Talker();
    client.stack().connect(server.address(), 7, 1000, latter);
    client.scheduleTurn();
    network.run(() -> false, network.now() + SECOND / 10);
    link.cut(false);
    assertThat(network.run(() -> latter.received > 0, network.now() + 60 * SECOND)).isTrue();
    assertThat(violations.first()).isNull();
  }
}
