package org.rddp.ddp.sending;

/** Is told of the requests that have completed. */
@FunctionalInterface
public interface CompletionHandler {
  /**
   * A posted request has completed; its memory is the user's again.
   *
   * @param token as it was posted
   * @param kind as it was posted
   * @param status with which it has ended; 0 if it succeeded
   * @param octets the length of the message; 0 if the request failed
   */
  void onCompletion(long token, int kind, int status, long octets);
}
