package org.rddp.tcp;

import org.rddp.ip.Path;
import org.rddp.tcp.handshake.EcnFeedback;
import org.rddp.tcp.handshake.SynChoices;
import org.rddp.tcp.handshake.SynCookies;
import org.rddp.tcp.handshake.SynOffer;
import org.rddp.wire.AccEcnOption;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpOptions;
import org.rddp.wire.TcpSegment;

/**
 * Writes the options of a SYN or SYN-ACK; {@link org.rddp.tcp.handshake.SynNegotiation} reads those
 * of the peer's. Reused for every SYN.
 */
final class SynOptions {
  private final SynOffer offer;

  /** Where the next option goes. */
  private long at;

  private long sum;

  SynOptions(SynOffer offer) {
    this.offer = offer;
  }

  /**
   * Writes the options that we offer in a SYN, or in a SYN-ACK those of them that the peer has
   * offered, too.
   *
   * @param answer whether it is a SYN-ACK
   * @return octets of the header
   */
  int put(TcpConnection connection, boolean answer, long header) {
    begin(connection.path(), header);
    SynChoices options = answer ? connection.agreed : offer.options();
    putScaleAndSack(options);
    if (options.timestamps()) {
      putTimestamps(connection.timestamp(), answer ? connection.receiver.recentTimestamp() : 0);
    }
    if (answer && connection.accurate != null) { // ACC-3.2.3.2.1-01
      int room = (int) (header + Tcp.LONGEST_HEADER - at);
      int length = connection.accurate.received.optionLength(room, false);
      sum += length > 0 ? connection.accurate.received.putOption(at, length, -1) : 0;
      at += length;
    }
    return (int) (at - header);
  }

  /**
   * Writes the options of a SYN-ACK with a cookie. Without timestamps the peer's answer can encode
   * only the MSS of the SYN's options, so only that is offered.
   *
   * @param clock of our timestamps in this connection
   * @return octets of the header
   */
  int putWithCookie(Path path, TcpSegment syn, EcnFeedback feedback, int clock, long header) {
    begin(path, header);
    if (stamps(syn)) {
      SynChoices agreed = offer.options().and(syn.options);
      putScaleAndSack(agreed);
      boolean ecn = feedback == EcnFeedback.CLASSIC;
      putTimestamps(
          SynCookies.timestamp(clock, agreed.sack(), ecn, syn.options),
          syn.options.timestampValue());
    }
    if (feedback == EcnFeedback.ACCURATE) {
      sum += AccEcnOption.put(at, AccEcnOption.LONG, false, 1, 0, 1);
      at += AccEcnOption.LONG;
    }
    return (int) (at - header);
  }

  /** Whether the answer to a SYN has timestamps. */
  boolean stamps(TcpSegment syn) {
    return offer.options().timestamps() && syn.options.timestamps();
  }

  /** The partial sum of the options that were written last. */
  long sum() {
    return sum;
  }

  private void begin(Path path, long header) {
    at = header + Tcp.HEADER;
    sum = TcpOptions.putMss(at, SegmentSizes.mss(path, path.linkMtu()));
    at += TcpOptions.MSS_LENGTH;
  }

  private void putScaleAndSack(SynChoices options) {
    if (options.windowScale()) {
      sum += TcpOptions.putWindowScale(at, offer.windowShift());
      at += TcpOptions.WINDOW_SCALE_LENGTH;
    }
    if (options.sack()) {
      sum += TcpOptions.putSackPermitted(at);
      at += TcpOptions.SACK_PERMITTED_LENGTH;
    }
  }

  private void putTimestamps(int value, int echo) {
    sum += TcpOptions.putTimestamps(at, value, echo);
    at += TcpOptions.TIMESTAMPS_LENGTH;
  }
}
