package org.rddp.mpa;

/** Callbacks from an {@link MpaStartup} to its owner, on the engine's thread. */
public interface StartupHandler {
  /**
   * Responder: a valid Request has been received. The owner answers, now or later, with {@link
   * MpaStartup#accept} or {@link MpaStartup#reject}.
   *
   * @param privateData the Request's, 0 to 512 octets
   */
  void onRequest(MpaStartup startup, byte[] privateData);

  /**
   * Both ends agree: Full Operation begins, with {@link UlpduHandler#onFullOperation} next.
   *
   * @param privateData Initiator: the Reply's, 0 to 512 octets; Responder: empty
   */
  void onAgreed(Negotiated terms, byte[] privateData);

  /**
   * Initiator: the Responder's program rejected (R=1). TCP stays open until the owner closes it.
   *
   * @param privateData the Reply's, 0 to 512 octets
   */
  void onRejected(byte[] privateData);
}
