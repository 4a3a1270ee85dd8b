package org.rddp.client;

/**
 * The daemon has died or ended the session. The session's connections and regions have ended: open
 * a new session.
 */
public final class SessionLostException extends RddpException {
  private static final long serialVersionUID = 1L;

  SessionLostException(String message, Throwable cause) {
    super(message, cause);
  }
}
