package org.rddp.client;

import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.util.Set;
import java.util.concurrent.CancellationException;

/**
 * Calls an action when the thread that is inside {@link #begin} and {@link #end} is interrupted,
 * since {@link Thread#interrupt} does not end a system call. The JDK offers this to selectors only;
 * nothing can be selected with this one.
 */
final class InterruptWatch extends AbstractSelector {
  private final Runnable onInterrupt;

  InterruptWatch(Runnable onInterrupt) {
    super(null);
    this.onInterrupt = onInterrupt;
  }

  /** Begins the watch, before a call that may block. */
  void enter() {
    begin();
  }

  /** Ends the watch, after the call. */
  void leave() {
    end();
  }

  @Override
  public Selector wakeup() {
    onInterrupt.run();
    return this;
  }

  @Override
  protected void implCloseSelector() {}

  @Override
  public Set<SelectionKey> keys() {
    return Set.of();
  }

  @Override
  public Set<SelectionKey> selectedKeys() {
    return Set.of();
  }

  @Override
  public int selectNow() {
    return 0;
  }

  @Override
  public int select(long timeout) {
    return 0;
  }

  @Override
  public int select() {
    return 0;
  }

  @Override
  protected SelectionKey register(
      AbstractSelectableChannel channel, int operations, Object attachment) {
    throw new CancellationException("nothing can be selected here");
  }
}
