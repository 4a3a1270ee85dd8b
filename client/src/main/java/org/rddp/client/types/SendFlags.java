package org.rddp.client.types;

/** How a work request is to be done: bits to be combined ({@code ibv_send_flags} of verbs). */
public final class SendFlags {
  /** Report success too. Failures and receives are always reported. */
  public static final int SIGNALLED = 1;

  /**
   * Not before the reads and atomics that were posted before it on its connection have their
   * answers.
   */
  public static final int FENCED = 4;

  /** The peer's program is to be woken for the message. */
  public static final int SOLICITED = 8;

  private SendFlags() {}
}
