package org.rddp.client;

/**
 * No session could be opened: the daemon does not run, may not be used, or is of another release.
 */
public final class DaemonUnavailableException extends RddpException {
  private static final long serialVersionUID = 1L;

  DaemonUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
