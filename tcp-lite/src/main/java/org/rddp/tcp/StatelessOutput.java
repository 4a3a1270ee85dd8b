package org.rddp.tcp;

import org.rddp.device.PacketPool;
import org.rddp.ip.Path;
import org.rddp.tcp.handshake.EcnFeedback;
import org.rddp.tcp.handshake.SynCookies;
import org.rddp.tcp.handshake.SynOffer;
import org.rddp.wire.AccEcn;
import org.rddp.wire.AccEcnOption;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpOptions;
import org.rddp.wire.TcpSegment;

/** Answers segments that belong to no connection, without keeping state. */
final class StatelessOutput {
  private final SegmentOutput output;
  private final PacketPool pool;
  private final TcpCounters counters;
  private final SynOffer offer;
  private final int trafficClass;

  StatelessOutput(StackContext context) {
    output = context.output;
    pool = context.pool;
    counters = context.counters;
    offer = context.offer;
    trafficClass = context.settings.dscp() << Ipv4.DSCP_SHIFT;
  }

  /** Answers with a reset (RFC 9293 section 3.10.7.1). */
  void reset(Path path, TcpSegment segment) {
    long packet = output.allocate();
    if (packet == 0) {
      return;
    }
    boolean acknowledges = segment.has(Tcp.ACK);
    int sequence = acknowledges ? segment.acknowledgment : 0;
    int acknowledgment = acknowledges ? 0 : segment.sequence + segment.sequenceLength();
    int flags = acknowledges ? Tcp.RST : Tcp.RST | Tcp.ACK;
    long header = pool.address(packet);
    long sum =
        Tcp.write(
            header,
            segment.localPort,
            segment.remotePort,
            sequence,
            acknowledgment,
            Tcp.HEADER,
            flags,
            0);
    counters.resetsOut++;
    send(path, segment, packet, Tcp.HEADER, sum);
  }

  /**
   * Answers a SYN with a cookie. Without timestamps the answer can encode only the MSS of the SYN's
   * options, so it offers only that.
   *
   * @param cookie our initial sequence number
   * @param clock of our timestamps in this connection
   */
  void cookie(Path path, TcpSegment syn, int cookie, int clock) {
    long packet = output.allocate();
    if (packet == 0) {
      return;
    }
    long header = pool.address(packet);
    long option = header + Tcp.HEADER;
    long sum = TcpOptions.putMss(option, SegmentSizes.mss(path, path.linkMtu()));
    option += TcpOptions.MSS_LENGTH;
    int flags = Tcp.SYN | Tcp.ACK;
    EcnFeedback feedback = EcnFeedback.of(offer, syn, false);
    boolean accurate = feedback == EcnFeedback.ACCURATE;
    if (accurate) { // ACC-5.1-01
      flags |= AccEcn.flags(AccEcn.ofCodepoint(syn.ecn));
    }
    if (offer.timestamps() && syn.options.timestamps()) {
      boolean sack = offer.sack() && syn.options.sackPermitted();
      boolean ecn = feedback == EcnFeedback.CLASSIC;
      if (offer.windowScale() && syn.options.windowScale() >= 0) {
        sum += TcpOptions.putWindowScale(option, offer.windowShift());
        option += TcpOptions.WINDOW_SCALE_LENGTH;
      }
      if (sack) {
        sum += TcpOptions.putSackPermitted(option);
        option += TcpOptions.SACK_PERMITTED_LENGTH;
      }
      int stamp = SynCookies.timestamp(clock, sack, ecn, syn.options);
      sum += TcpOptions.putTimestamps(option, stamp, syn.options.timestampValue());
      option += TcpOptions.TIMESTAMPS_LENGTH;
      flags |= ecn ? Tcp.ECE : 0;
    }
    if (accurate) {
      sum += AccEcnOption.put(option, AccEcnOption.LONG, false, 1, 0, 1);
      option += AccEcnOption.LONG;
    }
    int length = (int) (option - header);
    sum +=
        Tcp.write(
            header,
            syn.localPort,
            syn.remotePort,
            cookie,
            syn.sequence + 1,
            length,
            flags,
            Math.min(offer.receiveBuffer(), 0xffff));
    counters.synCookiesSent++;
    send(path, syn, packet, length, sum);
  }

  private void send(Path path, TcpSegment answered, long packet, int length, long sum) {
    long header = pool.address(packet);
    Tcp.putChecksum(header, sum + path.pseudoHeader(length));
    counters.segmentsOut++;
    path.reply(packet, header, length, trafficClass, answered.remoteMac);
    pool.release(packet);
  }
}
