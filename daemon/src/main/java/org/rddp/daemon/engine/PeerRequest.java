package org.rddp.daemon.engine;

import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;
import org.rddp.ipc.control.AcceptSettings;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.mpa.MpaStartup;

/**
 * A peer's MPA Request to a listener: the program is asked, and accepts or rejects it. Engine
 * thread only.
 */
final class PeerRequest {
  private static final byte[] NONE = {};

  private final Session session;
  private final SessionListener listener;
  private final SessionConnection connection;

  PeerRequest(Session session, SessionListener listener, SessionConnection connection) {
    this.session = session;
    this.listener = listener;
    this.connection = connection;
  }

  SessionConnection connection() {
    return connection;
  }

  /** Asks the program for an answer to the Request, which has come, or refuses it. */
  void ask(byte[] privateData) {
    MpaStartup startup = connection.startup();
    if (startup.negotiated().rtr().isEmpty() && listener.requiresPeerToPeer()) {
      // Both programs would wait for the other to send.
      refuse();
      connection.decline(NONE);
      return;
    }
    if (!listener.requested(this)) {
      refuse();
      connection.abort();
      return;
    }
    int number;
    try {
      number = session.reserve();
    } catch (RequestRefusedException e) {
      refuse();
      connection.abort();
      return;
    }
    connection.requested(number);
    listener.countRequested();
    ConnectionEnds ends = connection.ends();
    connection.sendEvent(
        new DaemonMessage.ConnectionRequested(
            listener.number(),
            number,
            ControlAddresses.of(ends.localAddress()),
            ends.localPort(),
            ControlAddresses.of(ends.remoteAddress()),
            ends.remotePort(),
            connection.terms(startup.negotiated()),
            PrivateData.of(privateData)));
  }

  private void refuse() {
    listener.countRefused();
    end();
    connection.markGone();
  }

  /** Accepts it, with the program's settings for this connection. */
  void accept(AcceptSettings settings, byte[] privateData) throws RequestRefusedException {
    requireAnswerable(privateData);
    connection.choose(settings);
    end();
    connection.accept(privateData);
  }

  void reject(byte[] privateData) throws RequestRefusedException {
    requireAnswerable(privateData);
    end();
    connection.decline(privateData);
    connection.release();
  }

  private void requireAnswerable(byte[] privateData) throws RequestRefusedException {
    int most = connection.startup().maxPrivateData();
    if (privateData.length > most) {
      throw new RequestRefusedException(
          Reason.INVALID,
          privateData.length + " octets of private data; this peer's request allows " + most);
    }
  }

  /** Says that nothing waits for the program's answer. */
  static RequestRefusedException answered() {
    return new RequestRefusedException(Reason.STATE, "the connection has been answered");
  }

  /** Declines it because the listener closes before the program has answered. */
  void decline() {
    end();
    connection.decline(NONE);
    connection.sendEvent(
        new DaemonMessage.Failed(
            connection.number(), Reason.LOCAL_CLOSE, 0, "the listener was closed"));
    connection.release();
  }

  /** Ends the wait for the Request and for the answer. */
  void end() {
    listener.answered(this);
    connection.answered();
  }
}
