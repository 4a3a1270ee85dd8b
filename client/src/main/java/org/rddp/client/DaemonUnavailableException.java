package org.rddp.client;

/**
 * No session could be opened: the daemon is not running, refuses this user, or has another release.
 */
public final class DaemonUnavailableException extends RddpException {
  private static final long serialVersionUID = 1L;

  DaemonUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
