package org.rddp.nio;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.spi.SelectorProvider;
import javax.net.ServerSocketFactory;

/** Makes listening sockets, which are those of a provider's channels. Thread-safe. */
public final class RddpServerSocketFactory extends ServerSocketFactory {
  private final SelectorProvider provider;

  /** A factory with a provider of its own, for the daemon that the environment names. */
  public RddpServerSocketFactory() {
    this(new RddpSelectorProvider());
  }

  /** A factory of sockets of a provider's channels. */
  public RddpServerSocketFactory(SelectorProvider provider) {
    this.provider = provider;
  }

  @Override
  public ServerSocket createServerSocket() throws IOException {
    return provider.openServerSocketChannel().socket();
  }

  @Override
  public ServerSocket createServerSocket(int port) throws IOException {
    return createServerSocket(port, 0);
  }

  @Override
  public ServerSocket createServerSocket(int port, int backlog) throws IOException {
    return createServerSocket(port, backlog, null);
  }

  @Override
  public ServerSocket createServerSocket(int port, int backlog, InetAddress at) throws IOException {
    ServerSocket socket = createServerSocket();
    try {
      socket.bind(new InetSocketAddress(at, port), backlog);
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }
}
