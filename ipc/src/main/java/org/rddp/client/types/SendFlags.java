package org.rddp.client.types;

/** Flags of a work request, to be combined ({@code ibv_send_flags} of verbs). */
public final class SendFlags {
  /** Report success too. Failures and receives are always reported. */
  public static final int SIGNALLED = 1;

  /** Wait for the answers to all earlier reads and atomics of the connection. */
  public static final int FENCED = 4;

  /** Wake the peer's program for the message. */
  public static final int SOLICITED = 8;

  private SendFlags() {}
}
