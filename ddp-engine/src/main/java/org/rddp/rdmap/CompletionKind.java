package org.rddp.rdmap;

/** What kind of request a completion is for. */
public final class CompletionKind {
  /** {@link RdmapStream#postSend}. */
  public static final int SEND = 1;

  /** {@link RdmapStream#postWrite}. */
  public static final int WRITE = 2;

  /** {@link RdmapStream#postReceive}. */
  public static final int RECEIVE = 3;

  /** {@link RdmapStream#postRead}. */
  public static final int READ = 4;

  private CompletionKind() {}
}
