package org.rddp.transfer;

import java.net.InetSocketAddress;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.Listener;
import org.rddp.client.Rddp;
import org.rddp.client.RefusedException;
import org.rddp.client.types.Reason;

/** Opens listeners whose peers may send ahead: messages wait for receives in the daemon. */
final class HeldMessages {
  /**
   * The default of {@code hold-messages} in the daemon's configuration. Asking for more would make
   * the daemon log a refused request at each start.
   */
  private static final int MOST = 2 << 20;

  private static final int BACKLOG = 128;

  private HeldMessages() {}

  /**
   * Listens with 2 MiB of held octets for each connection; where the daemon allows less, the number
   * is halved until it is allowed. Memory is used only for messages that wait.
   *
   * @throws RefusedException when the session may not listen at the port
   */
  static Listener listen(Rddp session, int port) {
    int octets = MOST;
    while (true) {
      try {
        return session.listen(
            new InetSocketAddress(port),
            BACKLOG,
            ConnectionOptions.DEFAULTS.withHeldOctets(octets));
      } catch (RefusedException e) {
        if (e.reason() != Reason.LIMIT || octets == 0) {
          throw e;
        }
        octets /= 2;
      }
    }
  }
}
