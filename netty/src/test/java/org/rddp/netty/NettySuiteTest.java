package org.rddp.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.CompositeBufferGatheringWriteTest;
import io.netty.testsuite.transport.socket.SocketAutoReadTest;
import io.netty.testsuite.transport.socket.SocketBufReleaseTest;
import io.netty.testsuite.transport.socket.SocketCancelWriteTest;
import io.netty.testsuite.transport.socket.SocketChannelNotYetConnectedTest;
import io.netty.testsuite.transport.socket.SocketCloseForciblyTest;
import io.netty.testsuite.transport.socket.SocketConditionalWritabilityTest;
import io.netty.testsuite.transport.socket.SocketConnectTest;
import io.netty.testsuite.transport.socket.SocketConnectionAttemptTest;
import io.netty.testsuite.transport.socket.SocketDataReadInitialStateTest;
import io.netty.testsuite.transport.socket.SocketEchoTest;
import io.netty.testsuite.transport.socket.SocketExceptionHandlingTest;
import io.netty.testsuite.transport.socket.SocketFileRegionTest;
import io.netty.testsuite.transport.socket.SocketFixedLengthEchoTest;
import io.netty.testsuite.transport.socket.SocketGatheringWriteTest;
import io.netty.testsuite.transport.socket.SocketHalfClosedTest;
import io.netty.testsuite.transport.socket.SocketMultipleConnectTest;
import io.netty.testsuite.transport.socket.SocketObjectEchoTest;
import io.netty.testsuite.transport.socket.SocketReadPendingTest;
import io.netty.testsuite.transport.socket.SocketRstTest;
import io.netty.testsuite.transport.socket.SocketShutdownOutputByPeerTest;
import io.netty.testsuite.transport.socket.SocketShutdownOutputBySelfTest;
import io.netty.testsuite.transport.socket.SocketSpdyEchoTest;
import io.netty.testsuite.transport.socket.SocketSslEchoTest;
import io.netty.testsuite.transport.socket.SocketSslGreetingTest;
import io.netty.testsuite.transport.socket.SocketStartTlsTest;
import io.netty.testsuite.transport.socket.SocketStringEchoTest;
import io.netty.testsuite.transport.socket.WriteBeforeRegisteredTest;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.rddp.daemon.TestDaemon;
import org.rddp.nio.RddpSelectorProvider;

/**
 * Netty's own tests of sockets, with both ends rddp's. Left out: those of datagrams and of
 * Unix-domain sockets, which are the JDK's channels; SocketAddressesTest, which is for addresses of
 * a transport's own; SocketSslSessionReuseTest and SocketSslClientRenegotiateTest, which need
 * OpenSSL; ServerSocketSuspendTest, which Netty has disabled; and TrafficShapingHandlerTest, which
 * measures time.
 */
@Timeout(120)
class NettySuiteTest {
  private static TestDaemon daemon;
  private static Permutation all;

  @BeforeAll
  static void start() {
    daemon = new TestDaemon();
    all = new Permutation(new RddpSelectorProvider(daemon.socket()));
  }

  @AfterAll
  static void stop() {
    all.close();
    daemon.close();
  }

  /** The other end is a socket of java.net, which is the kernel's. */
  private static SocketAddress kernels() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  private static SocketAddress address() {
    return new InetSocketAddress(TestDaemon.ADDRESS_TWO, 0);
  }

  @Nested
  class CompositeBufferGathering extends CompositeBufferGatheringWriteTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return all.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return address();
    }
  }

  @Nested
  class AutoRead extends SocketAutoReadTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return all.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return address();
    }
  }

  @Nested
  class BufRelease extends SocketBufReleaseTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return all.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return address();
    }
  }

  @Nested
  class CancelWrite extends SocketCancelWriteTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return all.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return address();
    }
  }

  @Nested
  class CloseForcibly extends SocketCloseForciblyTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return all.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return address();
    }
  }

  @Nested
  class ConditionalWritability extends SocketConditionalWritabilityTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return all.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return address();
    }
  }

  @Nested
  class Connect extends SocketConnectTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return all.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return address();
    }
  }

  @Nested
  class DataReadInitialState extends SocketDataReadInitialStateTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return all.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return address();
    }
  }

  @Nested
  class Echo extends SocketEchoTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return all.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return address();
    }
  }

  @Nested
  class ExceptionHandling extends SocketExceptionHandlingTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return all.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return address();
    }
  }

  @Nested
  class FileRegion extends SocketFileRegionTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return all.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return address();
    }
  }

  @Nested
  class FixedLengthEcho extends SocketFixedLengthEchoTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return all.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return address();
    }
  }

  @Nested
  class GatheringWrite extends SocketGatheringWriteTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return all.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return address();
    }
  }

  /** With the limit of all: its own, 20 s, is too short for a busy machine. */
  @Nested
  @Timeout(120)
  class HalfClosed extends SocketHalfClosedTest {
    /**
     * Its follower resets the connection when it has written, and expects that to arrive first: so
     * it is where a write reaches the other end before it returns, not over a network.
     */
    @Override
    public void testAutoCloseFalseDoesShutdownOutput(TestInfo info) {}

    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return all.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return address();
    }
  }

  @Nested
  class MultipleConnect extends SocketMultipleConnectTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return all.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return address();
    }
  }

  @Nested
  class ObjectEcho extends SocketObjectEchoTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return all.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return address();
    }
  }

  @Nested
  class ReadPending extends SocketReadPendingTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return all.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return address();
    }
  }

  @Nested
  class Rst extends SocketRstTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return all.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return address();
    }
  }

  @Nested
  class SpdyEcho extends SocketSpdyEchoTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return all.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return address();
    }
  }

  @Nested
  class SslGreeting extends SocketSslGreetingTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return all.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return address();
    }
  }

  @Nested
  class SslEcho extends SocketSslEchoTest {
    /**
     * Each seventh of the 96 ways in which TLS can be set up: the channel beneath sees octets in
     * all of them. 7 has no factor in common with the 2 values of each flag, so both occur.
     */
    public static Collection<Object[]> data() throws Exception {
      List<Object[]> ways = List.copyOf(SocketSslEchoTest.data());
      return IntStream.range(0, ways.size()).filter(i -> i % 7 == 0).mapToObj(ways::get).toList();
    }

    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return all.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return address();
    }
  }

  @Nested
  class StartTls extends SocketStartTlsTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return all.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return address();
    }
  }

  @Nested
  class StringEcho extends SocketStringEchoTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return all.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return address();
    }
  }

  @Nested
  class ChannelNotYetConnected extends SocketChannelNotYetConnectedTest {
    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
      return all.clientSocket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return address();
    }
  }

  @Nested
  class ConnectionAttempt extends SocketConnectionAttemptTest {
    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
      return all.clientSocket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return address();
    }
  }

  @Nested
  class BeforeRegistered extends WriteBeforeRegisteredTest {
    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
      return all.clientSocket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return address();
    }
  }

  @Nested
  class ShutdownOutputByPeer extends SocketShutdownOutputByPeerTest {
    @Override
    protected List<BootstrapFactory<ServerBootstrap>> newFactories() {
      return all.serverSocket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return kernels();
    }
  }

  @Nested
  class ShutdownOutputBySelf extends SocketShutdownOutputBySelfTest {
    /** Netty has disabled it. */
    @Override
    public void testWriteAfterShutdownOutputNoWritabilityChange(TestInfo info) {}

    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
      return all.clientSocket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return kernels();
    }
  }
}
