package org.rddp.tcp;

import org.rddp.device.Offloads;
import org.rddp.ip.IpLayer;
import org.rddp.ip.TransportHandler;
import org.rddp.wire.Icmpv4;
import org.rddp.wire.SequenceNumber;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpSegment;

/** Checks segments as they come from IP and finds what they belong to. */
final class SegmentInput implements TransportHandler {
  private final TcpStack stack;
  private final TcpConnectionTable connections;
  private final TcpCounters counters;
  private final TcpSegment segment = new TcpSegment();
  private final ConnectionPrefetch lookAhead;
  private Admission admission;
  private SegmentArrival arrival;
  private IpLayer ip;

  SegmentInput(TcpStack stack, TcpConnectionTable connections) {
    this.stack = stack;
    this.connections = connections;
    counters = stack.counters();
    lookAhead = new ConnectionPrefetch(connections, IpLayer.BURST);
  }

  /** Joins the way in to the way out. */
  void connect(IpLayer layer, StatelessOutput output, Admission toConnections) {
    ip = layer;
    admission = toConnections;
    arrival = new SegmentArrival(stack, output, admission);
  }

  @Override
  public boolean wantsPrefetch() {
    return lookAhead.worthwhile();
  }

  @Override
  public void addToPrefetch(int source, long address) {
    lookAhead.add(
        TcpConnectionTable.key(source, Tcp.sourcePort(address), Tcp.destinationPort(address)));
  }

  @Override
  public void prefetch() {
    lookAhead.prefetch();
  }

  @Override
  public void onDatagram(
      int source, long senderMac, int ecn, long address, int length, long packet) {
    if (!segment.parse(source, senderMac, ecn, address, length, packet)) {
      counters.malformed++;
      return;
    }
    if (!intact(source, address, length, packet)) {
      counters.checksumErrors++;
      return;
    }
    counters.segmentsIn++;
    long key = TcpConnectionTable.key(source, segment.remotePort, segment.localPort);
    TcpConnection connection = connections.get(key);
    if (connection == null || reopens(connection) || yields(connection)) {
      connection = admission.unconnected(key, segment, connection);
    }
    if (connection != null) {
      process(connection);
    }
  }

  private void process(TcpConnection connection) {
    try {
      arrival.process(connection, segment);
    } catch (Throwable failure) {
      stack.failed(connection, failure);
    }
  }

  /** Whether the checksum is right: as the device says, if it says anything. */
  private boolean intact(int source, long address, int length, long packet) {
    return switch (ip.checksum(packet)) {
      case Offloads.GOOD -> true;
      case Offloads.BAD -> false;
      default -> Tcp.intact(address, length, source, ip.address());
    };
  }

  /** Whether a handshake is given up for another answer of ours, which the peer has taken. */
  private boolean yields(TcpConnection connection) {
    boolean yields =
        connection.state() == TcpState.SYN_RECEIVED && admission.takesCookie(connection, segment);
    if (yields) {
      connection.terminate(CloseReason.ABORTED);
    }
    return yields;
  }

  /**
   * Whether a SYN opens anew a connection in TIME-WAIT: its number or its timestamp shows that it
   * is not an old one (RFC 9293 section 3.6.1, RFC 6191). The old connection is forgotten then.
   */
  private boolean reopens(TcpConnection connection) {
    if (connection.state() != TcpState.TIME_WAIT
        || (segment.flags & (Tcp.SYN | Tcp.ACK | Tcp.RST | Tcp.FIN)) != Tcp.SYN
        || stack.listener(segment.localPort) == null) {
      return false;
    }
    Receiver receiver = connection.receiver;
    boolean later = SequenceNumber.after(segment.sequence, receiver.acknowledgment());
    if (stack.settings().timestamps() && segment.options.timestamps()) {
      int distance =
          SequenceNumber.distance(receiver.recentTimestamp(), segment.options.timestampValue());
      // Timestamps that the former incarnation did not have are a sign of a new one by themselves.
      later = !connection.timestamps || distance > 0 || (distance == 0 && later);
    }
    if (later) {
      connection.terminate(CloseReason.NORMAL);
    }
    return later;
  }

  @Override
  public void onUnreachable(int code, int remote, long address, int length) {
    long key =
        TcpConnectionTable.key(remote, Tcp.destinationPort(address), Tcp.sourcePort(address));
    TcpConnection connection = connections.get(key);
    // Once established, a connection is not given up for what anyone could have sent (RFC 5927
    // 5.2).
    boolean hard = code == Icmpv4.PROTOCOL_UNREACHABLE || code == Icmpv4.PORT_UNREACHABLE;
    if (connection != null
        && hard
        && connection.state() == TcpState.SYN_SENT
        && Tcp.sequence(address) == connection.sender.sequence(-1)) {
      connection.terminate(CloseReason.TIMEOUT);
    }
  }

  @Override
  public void onTooBig(int remote, int mtu, long address, int length) {
    long key =
        TcpConnectionTable.key(remote, Tcp.destinationPort(address), Tcp.sourcePort(address));
    TcpConnection connection = connections.get(key);
    if (connection != null) {
      stack.sizes().tooBig(connection, Tcp.sequence(address), mtu);
    }
  }

  @Override
  public void onPathMtu(int remote, int mtu) {
    stack.pathMtuChanged(remote, mtu);
  }
}
