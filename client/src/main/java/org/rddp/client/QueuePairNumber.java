package org.rddp.client;

import java.time.Duration;
import org.rddp.client.types.CheckReturnValue;
import org.rddp.client.types.Reason;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.IpAddress;
import org.rddp.ipc.control.ProgramMessage;

/**
 * A random number, from 2^20 to 2^24 - 1, for queue pairs of this session, which nobody else of the
 * interface has, or has had for two minutes. Programs tell each other numbers and addresses by
 * other means, and each expects the other; the daemons do the rest. A number may be used for one
 * connection after the other. It ends with the session, also one that is led to another daemon.
 *
 * <p>Any thread may call the methods.
 */
public final class QueuePairNumber implements AutoCloseable {
  private final Rddp session;
  private final int value;

  QueuePairNumber(Rddp session, int value) {
    this.session = session;
    this.value = value;
  }

  /** The number, 2 to 2^24 - 1. */
  public int value() {
    return value;
  }

  /**
   * Expects a peer, whose program expects this end likewise, earlier or later. The connection takes
   * requests of all kinds at once, which wait until the peer is there. Then it is established
   * ({@link Connection#awaitEstablished}); or it fails, with {@link Reason#TIMEOUT}, or with {@link
   * Reason#REFUSED} if no daemon that knows queue pairs answers at the peer's address.
   *
   * @param options of the connection; both ends may send first, whatever {@link
   *     ConnectionOptions#startup} says of it
   * @throws RefusedException if the addresses or numbers cannot be, or the number has a connection
   *     that has not ended
   */
  @CheckReturnValue
  public Connection expect(ExpectedPeer peer, ConnectionOptions options) {
    session.daemon().throwIfUnusable();
    options.check(session);
    IpAddress local = InetAddresses.of(peer.localAddress());
    IpAddress remote = InetAddresses.of(peer.remoteAddress());
    int timeout = Math.toIntExact(peer.timeout().toMillis());
    ConnectionSettings settings = options.settings();
    Connection[] made = new Connection[1];
    session
        .channel()
        .request(
            request ->
                new ProgramMessage.Expect(
                    request,
                    value,
                    local,
                    peer.remoteNumber(),
                    remote,
                    peer.psn(),
                    peer.remotePsn(),
                    timeout,
                    settings),
            DaemonMessage.Connecting.class,
            reply -> {
              made[0] = new Connection(session, session.limits(), reply.connection(), options);
              session.daemon().connections().add(made[0]);
            });
    return made[0];
  }

  /**
   * Says what {@link #expect} has left open. Does nothing if the connection is established, or has
   * ended.
   *
   * @param connection of this number
   * @param psn see {@link ExpectedPeer#psn}
   * @param timeout see {@link ExpectedPeer#timeout}
   */
  public void sayPsn(Connection connection, int psn, Duration timeout) {
    int millis = Math.toIntExact(timeout.toMillis());
    session
        .channel()
        .request(
            request -> new ProgramMessage.ExpectPsn(request, connection.id(), psn, millis),
            DaemonMessage.Done.class);
  }

  /**
   * Gives the number back. An established connection goes on without it.
   *
   * @throws RefusedException if a connection of it waits for its peer: close that first
   */
  @Override
  public void close() {
    session
        .channel()
        .request(
            request -> new ProgramMessage.FreeNumber(request, value), DaemonMessage.Done.class);
  }
}
