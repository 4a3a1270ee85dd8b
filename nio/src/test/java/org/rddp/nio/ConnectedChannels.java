package org.rddp.nio;

import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.rddp.daemon.TestDaemon;

/** A daemon, and before each test a connection between two of its interfaces. */
abstract class ConnectedChannels {
  private static TestDaemon daemon;
  static RddpSelectorProvider provider;
  ServerSocketChannel listener;
  SocketChannel client;
  SocketChannel server;

  @BeforeAll
  static void start() {
    daemon = new TestDaemon();
    provider = new RddpSelectorProvider(daemon.socket());
  }

  @AfterAll
  static void stop() {
    daemon.close();
  }

  @BeforeEach
  void establish() throws Exception {
    listener = provider.openServerSocketChannel();
    listener.bind(new InetSocketAddress(TestDaemon.ADDRESS_TWO, 0));
    client = provider.openSocketChannel();
    client.connect(listener.getLocalAddress());
    server = listener.accept();
  }

  @AfterEach
  void close() throws Exception {
    client.close();
    server.close();
    listener.close();
  }
}
