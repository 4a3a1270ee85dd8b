package org.rddp.client;

/**
 * The daemon died, or ended the session. All connections and regions of it are gone; connect and
 * register again.
 */
public final class SessionLostException extends RddpException {
  private static final long serialVersionUID = 1L;

  SessionLostException(String message, Throwable cause) {
    super(message, cause);
  }
}
