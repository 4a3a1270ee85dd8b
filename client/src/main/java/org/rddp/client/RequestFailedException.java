package org.rddp.client;

import org.rddp.client.types.CompletionStatus;

/** A request of {@link BlockingOperations} has ended without success. */
public final class RequestFailedException extends RddpException {
  private static final long serialVersionUID = 1;

  private final CompletionStatus status;

  RequestFailedException(String message, CompletionStatus status) {
    super(message, null);
    this.status = status;
  }

  /** How the request has ended; {@link CompletionStatus#FLUSHED} if the connection had ended. */
  public CompletionStatus status() {
    return status;
  }
}
