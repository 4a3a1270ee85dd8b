package org.rddp.tcp;

import org.rddp.device.Offloads;
import org.rddp.device.PacketPool;
import org.rddp.ip.IpLayer;
import org.rddp.ip.Path;
import org.rddp.wire.AccEcn;
import org.rddp.wire.Checksum;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Tcp;

/** Writes TCP headers in front of payloads and passes the segments to IP. */
final class SegmentOutput {
  private final StackContext context;
  private final IpLayer ip;
  private final PacketPool pool;
  private final TcpCounters counters;
  private final EcnArrival ecn;
  private final SegmentOptions options = new SegmentOptions();
  private final SynOptions synOptions;
  private final boolean offloadsChecksum;
  private final boolean offloadsSegmentation;
  private final boolean cutsTrains;
  private final boolean sumsLength;

  SegmentOutput(StackContext context) {
    this.context = context;
    ip = context.ip;
    pool = context.pool;
    counters = context.counters;
    ecn = context.ecn;
    synOptions = new SynOptions(context.offer);
    offloadsChecksum = ip.offloadsChecksum();
    offloadsSegmentation = ip.offloadsSegmentation();
    cutsTrains = ip.cutsTrains();
    sumsLength = ip.sumsLength();
  }

  /** Whether the device computes checksums, so that payloads need not be summed. */
  boolean offloadsChecksum() {
    return offloadsChecksum;
  }

  /**
   * The longest payload of one frame: unlimited if the device cuts it into segments of EMSS octets,
   * which it does unless they are too short for it.
   */
  int largest(TcpConnection connection) {
    int emss = connection.sender.emss();
    boolean cut = offloadsSegmentation && emss >= Offloads.LEAST_SEGMENT && cuttable(connection);
    return cut ? Integer.MAX_VALUE : emss;
  }

  /**
   * Whether a device repeats the flags of a frame in each segment that it cuts: many clear CWR in
   * all but the first, which would change ACE (RFC 9768 section 3.3.4).
   */
  boolean cuttable(TcpConnection connection) {
    return connection.accurate == null || !connection.accurate.received.hasCwr();
  }

  /**
   * Sends a payload of the segment queue. The IP layer must have room. Takes over a reference.
   *
   * @param payloadSum partial checksum of the payload; ignored if {@link #offloadsChecksum}
   * @param ecn ECN codepoint of the packet
   */
  void data(
      TcpConnection connection,
      long packet,
      long payload,
      int length,
      int payloadSum,
      long position,
      int flags,
      int ecn) {
    // A full segment carries no SACK: the FPDU in it leaves no room.
    int room = connection.sender.emssOf(length) - length;
    int headerLength = options.choose(connection, room, true);
    long header = payload - headerLength;
    int sequence = connection.sender.sequence(position);
    long sum = header(connection, header, headerLength, sequence, flags, position + length);
    int emss = connection.sender.emss();
    int segment = offloadsSegmentation && emss > 0 && length > emss ? emss : 0;
    count(connection, headerLength, length, segment);
    finish(connection, packet, header, headerLength + length, sum + payloadSum, segment, ecn);
  }

  /**
   * Sends the payloads of several segments of the segment queue as one frame, without SACK, which
   * the device would repeat. Takes over a reference.
   *
   * @param payload of the first one; the others lie behind it
   * @param length octets of all
   * @param segment octets of each but the last, at which the device cuts if it can
   */
  void train(
      TcpConnection connection,
      long packet,
      long payload,
      int length,
      int segment,
      long position,
      int flags,
      int ecn) {
    int headerLength = options.without(connection);
    long header = payload - headerLength;
    int sequence = connection.sender.sequence(position);
    long sum = header(connection, header, headerLength, sequence, flags, position + length);
    sum += offloadsChecksum ? 0 : Checksum.sum(payload, length);
    int cut = cutsTrains ? segment : 0;
    count(connection, headerLength, length, cut);
    finish(connection, packet, header, headerLength + length, sum, cut, ecn);
  }

  /** Counts a frame with data for the connection's owner. */
  private static void count(TcpConnection connection, int header, int payload, int segment) {
    if (connection.sentOctets != null) {
      connection.sentOctets.add(connection.path(), header, payload, segment);
    }
  }

  /**
   * Sends a segment without payload: an acknowledgment, a FIN, a probe.
   *
   * @return false when there is no room or no packet, which is counted
   */
  boolean control(TcpConnection connection, int sequence, int flags) {
    long packet = allocate();
    if (packet == 0) {
      return false;
    }
    int headerLength =
        (flags & Tcp.RST) != 0
            ? options.without(connection)
            : options.choose(connection, Tcp.LONGEST_HEADER, false);
    long header = pool.address(packet);
    long sum = header(connection, header, headerLength, sequence, flags, -1);
    finish(connection, packet, header, headerLength, sum, 0, Ipv4.NOT_ECT);
    return true;
  }

  /**
   * Writes the header of a segment with the chosen options.
   *
   * @param end the stream position behind its payload, -1 if it has none
   */
  private long header(
      TcpConnection connection, long header, int headerLength, int sequence, int flags, long end) {
    Receiver receiver = connection.receiver;
    long sum =
        Tcp.write(
            header,
            connection.localPort(),
            connection.remotePort(),
            sequence,
            receiver.acknowledgment(),
            headerLength,
            flags | echo(connection, flags),
            receiver.window());
    sum += options.put(connection, header, end);
    receiver.acknowledged(options.selective());
    return sum;
  }

  /** The flags that tell the peer of congestion. */
  private int echo(TcpConnection connection, int flags) {
    if (connection.accurate != null) {
      boolean pure = flags == Tcp.ACK && !options.selective();
      return AccEcn.flags(connection.accurate.received.ace(pure)); // ACC-3.2.2-01
    }
    return connection.receiver.echoesCongestion() && (flags & Tcp.RST) == 0 ? Tcp.ECE : 0;
  }

  /**
   * Sends our SYN with the options that we offer, or a SYN-ACK with those that the peer offered,
   * too.
   *
   * @param answer whether the peer's SYN has arrived
   */
  boolean syn(TcpConnection connection, boolean answer) {
    long packet = allocate();
    if (packet == 0) {
      return false;
    }
    long header = pool.address(packet);
    // The flags first: with them an answer that is repeated decides to go without AccECN's option.
    int flags = answer ? ecn.synAckFlags(connection) : ecn.synFlags(connection);
    int headerLength = synOptions.put(connection, answer, header);
    long sum =
        synOptions.sum()
            + Tcp.write(
                header,
                connection.localPort(),
                connection.remotePort(),
                connection.sender.sequence(-1),
                answer ? connection.receiver.acknowledgment() : 0,
                headerLength,
                flags,
                connection.receiver.unscaledWindow());
    if (answer) {
      connection.receiver.acknowledged(true);
    }
    finish(connection, packet, header, headerLength, sum, 0, Ipv4.NOT_ECT);
    return true;
  }

  private void finish(
      TcpConnection connection,
      long packet,
      long header,
      int length,
      long sum,
      int segment,
      int ecn) {
    Path path = connection.path();
    if (offloadsChecksum) {
      requestOffload(path, packet, header, length, segment);
    } else {
      Tcp.putChecksum(header, sum + path.pseudoHeader(length));
    }
    counters.segmentsOut++;
    if (context.trace != null) {
      context.trace.sending(connection, header, length);
    }
    int codepoint = connection.marked && capable(connection) ? Ipv4.ECT_0 : ecn;
    if (!path.send(packet, header, length, connection.trafficClass(codepoint), context.now)) {
      connection.sender.unsealed = true;
    }
  }

  /** Whether ECN is in use, or our first SYN offers it. */
  private static boolean capable(TcpConnection connection) {
    return connection.ecn
        || (connection.state() == TcpState.SYN_SENT && connection.synRepeats == 0);
  }

  private void requestOffload(Path path, long packet, long header, int length, int segment) {
    int summed = segment > 0 && !sumsLength ? 0 : length;
    Tcp.putPartialChecksum(header, path.pseudoHeader(summed));
    path.requestOffload(packet, Tcp.headerLength(header), segment);
  }

  /** Allocates a packet for a segment that is sent at once; returns 0 if there is none. */
  long allocate() {
    if (!ip.room()) {
      counters.deviceBusy++;
      return 0;
    }
    long packet = pool.allocate();
    if (packet == 0) {
      counters.packetsExhausted++;
    }
    return packet;
  }
}
