package org.rddp.daemon.engine;

import org.rddp.ddp.DdpEngine;
import org.rddp.tcp.TcpStack;

/** Makes what an {@link Engine} begins anew with on the same queue. On the engine's thread. */
public interface EngineParts {
  /**
   * A stack without connections; the one before has been closed.
   *
   * @param now the time in nanoseconds
   */
  TcpStack tcp(long now);

  /** A DDP engine without STags. */
  DdpEngine ddp();
}
