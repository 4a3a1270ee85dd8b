package org.rddp.client;

import java.net.InetSocketAddress;
import java.time.Duration;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;

/**
 * A peer's wish to connect: accept it or reject it. Post the first receives to {@link
 * #connection()} before accepting, so that they are there when the peer's first message comes.
 */
public final class IncomingConnection {
  private static final Duration ACCEPT_TIMEOUT = Duration.ofSeconds(10);

  private final Connection connection;

  IncomingConnection(Connection connection) {
    this.connection = connection;
  }

  /** The connection that it becomes when it is accepted; until then it takes only receives. */
  public Connection connection() {
    return connection;
  }

  /** What the peer's program said with its request. */
  public PrivateData privateData() {
    return connection.privateData();
  }

  /** The peer's address. */
  public InetSocketAddress remoteAddress() {
    return connection.remoteAddress();
  }

  /** {@link #accept(PrivateData)} without private data. */
  public Connection accept() {
    return accept(PrivateData.NONE);
  }

  /**
   * Accepts.
   *
   * @param privateData for the peer's program: 512 octets, or 508 for a peer that speaks MPA's
   *     revision 2
   * @return the connection, established
   * @throws ConnectionFailedException when the peer has gone in the meantime
   * @throws RefusedException when the private data does not fit; answer again
   */
  public Connection accept(PrivateData privateData) {
    try {
      connection
          .session()
          .channel()
          .request(
              request -> new ProgramMessage.Accept(request, connection.id(), privateData),
              DaemonMessage.Done.class);
    } catch (RefusedException e) {
      if (e.reason() == Reason.INVALID) {
        throw e;
      }
      throw new ConnectionFailedException(e.reason(), 0, "it ended before it was accepted");
    }
    connection.state().awaitEstablished(ACCEPT_TIMEOUT);
    return connection;
  }

  /**
   * Rejects.
   *
   * @param privateData for the peer's program, as for {@link #accept(PrivateData)}
   * @throws RefusedException when the private data does not fit, answer again; or when the peer has
   *     gone in the meantime
   */
  public void reject(PrivateData privateData) {
    connection
        .session()
        .channel()
        .request(
            request -> new ProgramMessage.Reject(request, connection.id(), privateData),
            DaemonMessage.Done.class);
  }
}
