package org.rddp.nio;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.spi.SelectorProvider;
import javax.net.SocketFactory;

/** Makes sockets whose connections are those of a provider's channels. Thread-safe. */
public final class RddpSocketFactory extends SocketFactory {
  private final SelectorProvider provider;

  /** A factory with a provider of its own, for the daemon that the environment names. */
  public RddpSocketFactory() {
    this(new RddpSelectorProvider());
  }

  /** A factory of sockets of a provider's channels. */
  public RddpSocketFactory(SelectorProvider provider) {
    this.provider = provider;
  }

  @Override
  public Socket createSocket() throws IOException {
    return provider.openSocketChannel().socket();
  }

  @Override
  public Socket createSocket(String host, int port) throws IOException {
    return connect(null, new InetSocketAddress(host, port));
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress local, int localPort)
      throws IOException {
    return connect(new InetSocketAddress(local, localPort), new InetSocketAddress(host, port));
  }

  @Override
  public Socket createSocket(InetAddress host, int port) throws IOException {
    return connect(null, new InetSocketAddress(host, port));
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort)
      throws IOException {
    return connect(new InetSocketAddress(local, localPort), new InetSocketAddress(host, port));
  }

  private Socket connect(InetSocketAddress from, InetSocketAddress to) throws IOException {
    Socket socket = createSocket();
    try {
      if (from != null) {
        socket.bind(from);
      }
      socket.connect(to);
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }
}
