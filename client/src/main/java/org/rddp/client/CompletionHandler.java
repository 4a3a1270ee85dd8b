package org.rddp.client;

/** Handles the completions of a session. */
@FunctionalInterface
public interface CompletionHandler {
  /**
   * Handles the completion of a work request. Called on the polling thread; the handler may post
   * new requests.
   *
   * @param completion valid during this call only
   */
  void onCompletion(Completion completion);
}
