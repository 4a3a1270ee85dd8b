package org.rddp.daemon.engine;

import org.rddp.ddp.DdpEngine;
import org.rddp.tcp.TcpStack;

/** Makes the parts for a restart of an {@link Engine} on its queue. Called on its thread. */
public interface EngineParts {
  /**
   * Makes a stack without connections; the old one has been closed.
   *
   * @param now the time in nanoseconds
   */
  TcpStack tcp(long now);

  /** Makes a DDP engine without STags. */
  DdpEngine ddp();
}
