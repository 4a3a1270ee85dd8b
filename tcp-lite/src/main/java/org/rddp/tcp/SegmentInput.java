package org.rddp.tcp;

import java.util.function.Predicate;
import org.rddp.device.Offloads;
import org.rddp.ip.IpLayer;
import org.rddp.ip.Path;
import org.rddp.ip.TransportHandler;
import org.rddp.tcp.storage.TcpConnectionTable;
import org.rddp.wire.Icmpv4;
import org.rddp.wire.SequenceNumber;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpSegment;

/** Checks segments that IP has received and finds their connections. */
final class SegmentInput implements TransportHandler {
  private final StackContext context;
  private final TcpCounters counters;
  private final TcpSegment segment = new TcpSegment();
  private final ConnectionPrefetch prefetch;
  private SegmentArrival arrival;

  SegmentInput(StackContext context) {
    this.context = context;
    counters = context.counters;
    prefetch = new ConnectionPrefetch(context, IpLayer.BURST);
  }

  /** Completes the construction: {@link SegmentArrival} needs IP, which needs this input first. */
  void connect(SegmentArrival segmentArrival) {
    arrival = segmentArrival;
  }

  @Override
  public boolean wantsPrefetch() {
    return prefetch.worthwhile();
  }

  @Override
  public void addToPrefetch(int source, long address, int length) {
    if (length >= Tcp.HEADER) {
      prefetch.add(
          TcpConnectionTable.key(source, Tcp.sourcePort(address), Tcp.destinationPort(address)));
    }
  }

  @Override
  public void prefetch() {
    prefetch.prefetch();
  }

  @Override
  public void onDatagram(
      int source,
      long pseudoHeader,
      long senderMac,
      int ecn,
      long address,
      int length,
      long packet) {
    if (!segment.parse(source, senderMac, ecn, address, length, packet)) {
      counters.malformed++;
      return;
    }
    if (!intact(pseudoHeader, address, length, packet)) { // MPAA-3-02
      counters.checksumErrors++;
      return;
    }
    counters.segmentsIn++;
    long key = TcpConnectionTable.key(source, segment.remotePort, segment.localPort);
    TcpConnection connection = context.connections.get(key);
    if (connection == null || reopens(connection) || yields(connection)) {
      connection = context.handshake.unconnected(key, segment, connection);
    }
    if (connection != null) {
      process(connection);
    }
  }

  private void process(TcpConnection connection) {
    TcpTrace trace = context.trace;
    if (trace != null) {
      trace.received(connection, segment);
    }
    try {
      arrival.process(connection, segment);
    } catch (Throwable failure) {
      context.failed(connection, failure);
    }
    if (trace != null) {
      trace.processed(connection);
    }
  }

  /** Whether the checksum is right; uses the device's verdict if there is one. */
  private boolean intact(long pseudoHeader, long address, int length, long packet) {
    return switch (context.ip.checksum(packet)) {
      case Offloads.GOOD -> true;
      case Offloads.BAD -> false;
      default -> Tcp.intact(address, length, pseudoHeader);
    };
  }

  /** Ends a handshake that a connection by cookie replaces; returns whether it did. */
  private boolean yields(TcpConnection connection) {
    boolean yields = context.handshake.hasValidCookie(connection, segment);
    if (yields) {
      connection.terminate(CloseReason.ABORTED);
    }
    return yields;
  }

  /**
   * Whether a SYN reopens a connection in TIME-WAIT: its sequence number or timestamp shows that it
   * is new (RFC 9293 section 3.6.1, RFC 6191). If so, ends the old connection.
   */
  private boolean reopens(TcpConnection connection) {
    if (connection.state() != TcpState.TIME_WAIT
        || (segment.flags & (Tcp.SYN | Tcp.ACK | Tcp.RST | Tcp.FIN)) != Tcp.SYN
        || !context.listeners.containsKey(segment.localPort)) {
      return false;
    }
    Receiver receiver = connection.receiver;
    boolean later = SequenceNumber.after(segment.sequence, receiver.acknowledgment());
    if (context.settings.timestamps() && segment.options.timestamps()) {
      int distance =
          SequenceNumber.distance(receiver.recentTimestamp(), segment.options.timestampValue());
      // Timestamps that the former incarnation did not use prove a new one.
      later = !connection.agreed.timestamps() || distance > 0 || (distance == 0 && later);
    }
    if (later) {
      connection.terminate(CloseReason.NORMAL);
    }
    return later;
  }

  @Override
  public void onUnreachable(int code, Path path, int localPort, int remotePort, int sequence) {
    TcpConnection connection =
        context.connections.get(TcpConnectionTable.key(path.number(), remotePort, localPort));
    if (connection == null) {
      context.ip.handOver().unreachable(code, path, localPort, remotePort, sequence);
      return;
    }
    // Anyone can send such a message, so it does not end an established connection (RFC 5927 5.2).
    boolean hard = code == Icmpv4.PROTOCOL_UNREACHABLE || code == Icmpv4.PORT_UNREACHABLE;
    if (hard
        && connection.state() == TcpState.SYN_SENT
        && sequence == connection.sender.sequence(-1)) {
      connection.terminate(CloseReason.TIMEOUT);
    }
  }

  @Override
  public void onTooBig(Path path, int mtu, int localPort, int remotePort, int sequence) {
    TcpConnection connection =
        context.connections.get(TcpConnectionTable.key(path.number(), remotePort, localPort));
    if (connection == null) {
      context.ip.handOver().tooBig(path, mtu, localPort, remotePort, sequence);
    } else {
      context.sizes.tooBig(connection, sequence, mtu);
    }
  }

  @Override
  public void onPathMtu(Path path) {
    context.sizes.pathMtuChanged(path);
  }

  @Override
  public void onIpv6LinkMtu() {
    context.sizes.ipv6LinkMtuChanged();
  }

  @Override
  public void onAssociations(Predicate<Path> paths) {
    for (TcpConnection connection : context.connections.snapshot()) {
      if (paths.test(connection.path())) {
        associationsChanged(connection);
      }
    }
  }

  private void associationsChanged(TcpConnection connection) {
    counters.associationChanges++;
    // They may need other room in each packet; then what is in flight is cut and sent again.
    long before = counters.segmentsOut;
    boolean waits = connection.sender.unsealed;
    connection.sender.unsealed = false;
    context.sizes.pathMtu(connection);
    if (waits && counters.segmentsOut == before) {
      connection.sender.unsealed = true;
      context.timers.sendUnsealed(connection);
    }
  }
}
