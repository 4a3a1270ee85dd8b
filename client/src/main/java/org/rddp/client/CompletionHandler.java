package org.rddp.client;

import org.rddp.client.types.Completion;

/** Takes the completions that a program polls. */
@FunctionalInterface
public interface CompletionHandler {
  /**
   * A work request ended. Called on the thread that polls; new requests may be posted from here.
   *
   * @param completion good for this call only
   */
  void onCompletion(Completion completion);
}
