package org.rddp.nio;

import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;

/** Where a thread sleeps until the kernel or the daemon has a connection for it to accept. */
final class AcceptSelector {
  private final Selector selector;
  private final Shared<?> part;
  private final DatagramChannel descriptor;

  /**
   * A new one.
   *
   * @param kernel the kernel's listener, which does not block; null: none
   * @param part the daemon's; null: none
   */
  AcceptSelector(ServerSocketChannel kernel, Shared<?> part) throws IOException {
    this.part = part;
    selector = Kernel.provider().openSelector();
    boolean uses = part != null && part.acquire() != null;
    DatagramChannel over = null;
    try {
      if (kernel != null) {
        kernel.register(selector, SelectionKey.OP_ACCEPT);
      }
      if (uses) {
        over = JdkDescriptor.over(part.descriptor());
        over.register(selector, SelectionKey.OP_READ);
      }
      descriptor = over;
    } catch (IOException | RuntimeException e) {
      selector.close();
      if (over != null) {
        over.close();
      }
      throw e;
    } finally {
      if (uses) {
        part.release();
      }
    }
  }

  boolean isOf(Shared<?> daemons) {
    return part == daemons;
  }

  /** Sleeps until there is something to accept, or it is woken or closed. */
  void sleep(long nanos) throws IOException {
    try {
      selector.select(_ -> {}, RddpSocketChannel.millis(Math.min(nanos, Waiter.LONGEST)));
    } catch (ClosedSelectorException e) {
      // So is the channel.
    }
  }

  void wakeup() {
    selector.wakeup();
  }

  void close() throws IOException {
    selector.close();
    if (descriptor != null) {
      descriptor.close();
    }
  }
}
