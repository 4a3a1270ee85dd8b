package org.rddp.netty;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.SelectStrategyFactory;
import io.netty.channel.nio.NioIoHandler;
import java.nio.channels.spi.SelectorProvider;
import org.rddp.nio.RddpSelectorProvider;

/**
 * Makes event loops that watch channels of rddp and of the kernel: Netty's handler of selectors
 * with a selector of {@link RddpSelectorProvider}. Such a loop also runs Netty's channels of
 * java.nio.
 */
public final class RddpIoHandler {
  private static final class Holder {
    static final SelectorProvider PROVIDER = find();

    /** The JVM's, if its property names ours: then its channels are the same. */
    private static SelectorProvider find() {
      SelectorProvider told = SelectorProvider.provider();
      return told instanceof RddpSelectorProvider ? told : new RddpSelectorProvider();
    }
  }

  private RddpIoHandler() {}

  /**
   * The provider of channels that are not given one: one session with the daemon that the
   * environment names.
   */
  static SelectorProvider provider() {
    return Holder.PROVIDER;
  }

  /** Event loops of the channels of the daemon that the environment names. */
  public static IoHandlerFactory newFactory() {
    return NioIoHandler.newFactory(provider());
  }

  /**
   * Event loops of a provider's channels.
   *
   * @param provider also that of their channels
   */
  public static IoHandlerFactory newFactory(RddpSelectorProvider provider) {
    return NioIoHandler.newFactory(provider);
  }

  /**
   * Event loops of a provider's channels that wait as the strategy says.
   *
   * @param provider also that of their channels
   * @param strategies says whether a loop selects, and whether it waits then; {@code () -> (select,
   *     hasTasks) -> select.get()} never waits, and keeps a processor busy
   */
  public static IoHandlerFactory newFactory(
      RddpSelectorProvider provider, SelectStrategyFactory strategies) {
    return NioIoHandler.newFactory(provider, strategies);
  }
}
