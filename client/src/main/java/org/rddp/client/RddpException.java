package org.rddp.client;

/** An operation failed. The message says why and what to do. */
public class RddpException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  RddpException(String message) {
    super(message);
  }

  RddpException(String message, Throwable cause) {
    super(message, cause);
  }
}
