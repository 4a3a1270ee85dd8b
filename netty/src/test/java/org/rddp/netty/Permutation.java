package org.rddp.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.SocketTestPermutation;
import java.util.List;
import org.rddp.nio.RddpSelectorProvider;

/** What Netty's tests are run with: a provider's channels at both ends. */
final class Permutation extends SocketTestPermutation implements AutoCloseable {
  private final RddpSelectorProvider provider;
  private final MultiThreadIoEventLoopGroup loops;

  Permutation(RddpSelectorProvider provider) {
    this.provider = provider;
    loops = new MultiThreadIoEventLoopGroup(NUM_THREADS, RddpIoHandler.newFactory(provider));
  }

  @Override
  public List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> socket() {
    return combo(serverSocket(), clientSocket());
  }

  @Override
  public List<BootstrapFactory<ServerBootstrap>> serverSocket() {
    return List.of(() ->
        new ServerBootstrap()
            .group(loops)
            .channelFactory(() -> new RddpServerSocketChannel(provider)));
  }

  @Override
  public List<BootstrapFactory<Bootstrap>> clientSocket() {
    return List.of(
        () -> new Bootstrap().group(loops).channelFactory(() -> new RddpSocketChannel(provider)));
  }

  @Override
  public void close() {
    loops.close();
  }
}
