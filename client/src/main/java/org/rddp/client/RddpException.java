package org.rddp.client;

/** Something did not work; the message says what, and what can be done. */
public class RddpException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  RddpException(String message) {
    super(message);
  }

  RddpException(String message, Throwable cause) {
    super(message, cause);
  }
}
