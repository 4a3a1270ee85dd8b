package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.daemon.ConnectedPrograms.TIMEOUT;
import static org.rddp.daemon.ConnectedPrograms.completions;

import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.ExpectedPeer;
import org.rddp.client.MemoryRegion;
import org.rddp.client.QueuePairNumber;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;

/** One end of a pair of queue pairs: a number, and what the peer is told of it. */
record QueuePairEnd(Rddp session, QueuePairNumber number, InetAddress address, int psn) {
  /** Long enough that no test waits for its end. */
  static final Duration LONG = Duration.ofMinutes(10);

  /** The peer may send before this program has posted a receive. */
  private static final ConnectionOptions HOLDING = ConnectionOptions.DEFAULTS.withHeldOctets(4096);

  static QueuePairEnd of(Rddp session, String address, int psn) {
    return new QueuePairEnd(session, session.createNumber(), inet(address), psn);
  }

  static InetAddress inet(String address) {
    try {
      return InetAddress.getByName(address);
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  Connection expect(QueuePairEnd peer) {
    return expect(peer, psn, LONG);
  }

  Connection expect(QueuePairEnd peer, int ownPsn, Duration timeout) {
    return expect(peer.number.value(), peer.address, ownPsn, peer.psn, timeout);
  }

  Connection expect(
      int remoteNumber, InetAddress remote, int ownPsn, int remotePsn, Duration timeout) {
    return number.expect(
        new ExpectedPeer(address, remote, remoteNumber, ownPsn, remotePsn, timeout), HOLDING);
  }

  /** Connects, sends a message each way, the requests of which are posted before, and ends. */
  static void exchange(QueuePairEnd first, QueuePairEnd second) {
    Connection out = first.expect(second);
    post(first.session, out);
    Connection in = second.expect(first);
    post(second.session, in);
    awaitMessages(first.session);
    awaitMessages(second.session);
    out.awaitEstablished(TIMEOUT);
    in.awaitEstablished(TIMEOUT);
    out.disconnect();
    in.disconnect();
    assertThat(in.awaitClosed(TIMEOUT)).isTrue();
    assertThat(out.awaitClosed(TIMEOUT)).isTrue();
  }

  /** Posts a receive, and a Send of eight octets. */
  static void post(Rddp session, Connection connection) {
    MemoryRegion region = session.allocate(64, Access.LOCAL_WRITE);
    region.segment().set(ValueLayout.JAVA_LONG, 0, connection.id());
    assertThat(connection.postReceive(1, region, 32, 8)).isTrue();
    assertThat(connection.postSend(2, region, 0, 8)).isTrue();
  }

  private static void awaitMessages(Rddp session) {
    assertThat(completions(session, 2))
        .containsExactlyInAnyOrder("receive 1 SUCCESS 8", "send 2 SUCCESS 8");
  }
}
