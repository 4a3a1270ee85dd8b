package org.rddp.rdmap;

/** The kinds of requests that complete. */
public final class CompletionKind {
  /** {@link RdmapStream#postSend}, {@link RdmapExtensions#postImmediate}. */
  public static final int SEND = 1;

  /** {@link RdmapStream#postWrite}, {@link RdmapExtensions#postWriteImmediate}. */
  public static final int WRITE = 2;

  /** {@link RdmapStream#postReceive}. */
  public static final int RECEIVE = 3;

  /** {@link RdmapStream#postRead}. */
  public static final int READ = 4;

  /** An atomic operation of {@link RdmapExtensions}. */
  public static final int ATOMIC = 5;

  /** {@link RdmapLocalOperations#postInvalidate}. */
  public static final int INVALIDATE = 6;

  /** {@link RdmapLocalOperations#postBind}. */
  public static final int BIND = 7;

  private CompletionKind() {}
}
