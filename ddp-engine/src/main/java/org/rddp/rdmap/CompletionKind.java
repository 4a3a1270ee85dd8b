package org.rddp.rdmap;

/** The kind of request that has completed. */
public final class CompletionKind {
  /** {@link RdmapStream#postSend}, {@link RdmapStream#postImmediate}. */
  public static final int SEND = 1;

  /** {@link RdmapStream#postWrite}, {@link RdmapStream#postWriteImmediate}. */
  public static final int WRITE = 2;

  /** {@link RdmapStream#postReceive}. */
  public static final int RECEIVE = 3;

  /** {@link RdmapStream#postRead}. */
  public static final int READ = 4;

  /** {@link RdmapStream#postFetchAdd}, {@link RdmapStream#postCompareSwap}. */
  public static final int ATOMIC = 5;

  /** {@link RdmapLocalOperations#postInvalidate}. */
  public static final int INVALIDATE = 6;

  /** {@link RdmapLocalOperations#postBind}. */
  public static final int BIND = 7;

  private CompletionKind() {}
}
