package org.rddp.tcp;

import org.rddp.device.PacketPool;
import org.rddp.ip.Path;
import org.rddp.tcp.handshake.EcnFeedback;
import org.rddp.tcp.handshake.SynOffer;
import org.rddp.wire.AccEcn;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpSegment;

/** Answers segments that belong to no connection, without keeping state. */
final class StatelessOutput {
  private final SegmentOutput output;
  private final PacketPool pool;
  private final TcpCounters counters;
  private final SynOffer offer;
  private final SynOptions synOptions;
  private final int trafficClass;

  StatelessOutput(StackContext context) {
    output = context.output;
    pool = context.pool;
    counters = context.counters;
    offer = context.offer;
    synOptions = new SynOptions(offer);
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
    EcnFeedback feedback = EcnFeedback.of(offer, syn, false);
    int length = synOptions.putWithCookie(path, syn, feedback, clock, header);
    int flags = Tcp.SYN | Tcp.ACK;
    if (feedback == EcnFeedback.ACCURATE) { // ACC-5.1-01
      flags |= AccEcn.flags(AccEcn.ofCodepoint(syn.ecn));
    } else if (feedback == EcnFeedback.CLASSIC && synOptions.stamps(syn)) {
      flags |= Tcp.ECE;
    }
    long sum =
        synOptions.sum()
            + Tcp.write(
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
