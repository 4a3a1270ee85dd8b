package org.rddp.client;

/**
 * A request of {@link BlockingOperations} has not ended in time, or found no room in its queue. In
 * the first case it goes on: its memory must not be used before the connection has been closed with
 * {@link Connection#closeAndDrain}.
 */
public final class RequestTimeoutException extends RddpException {
  private static final long serialVersionUID = 1;

  RequestTimeoutException(String message) {
    super(message, null);
  }
}
