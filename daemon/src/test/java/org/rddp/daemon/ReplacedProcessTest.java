package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
import org.rddp.client.SessionLostException;

/** Daemons in processes of their own take each other's place, while programs of this one go on. */
@Timeout(120)
class ReplacedProcessTest {
  @TempDir private Path directory;

  private Rddp connect(String name) {
    return Rddp.connect(
        ReplacedDaemon.socket(directory), RddpOptions.defaults().withInterfaceName(name));
  }

  private SteadyExchange exchange() {
    return new SteadyExchange(connect("one"), connect("two"), ConnectedPrograms.TWO);
  }

  /** A hundred connections of two programs, at a port of their own. */
  private ManyConnections connections(int port) {
    InetSocketAddress to = new InetSocketAddress(ConnectedPrograms.TWO.getAddress(), port);
    return new ManyConnections(connect("one"), connect("two"), to, 100);
  }

  @Test
  void shouldGoOnInOneProcessAfterTheOther() throws Exception {
    try (ReplacedDaemon daemon = ReplacedDaemon.start(directory)) {
      try (SteadyExchange exchange = exchange();
          ManyConnections some = connections(1);
          ManyConnections others = connections(2)) {
        for (int i = 0; i < 2; i++) {
          exchange.awaitMessages(100);
          some.awaitRequests(8);
          others.awaitRequests(8);
          daemon.replace();
          assertThat(exchange.daemonPid()).isEqualTo(daemon.pid());
        }
        exchange.awaitMessages(100);
        some.awaitRequests(8);
        others.awaitRequests(8);
        try (SteadyExchange later = exchange()) {
          later.awaitMessages(100);
          exchange.awaitMessages(100);
        }
      }
      try (Rddp program = connect("one")) {
        daemon.replace();
        daemon.kill();
        TestDaemon.await(() -> hasLost(program), "the program notices the end of the last daemon");
      }
    }
  }

  private SteadyStream stream() throws IOException {
    return new SteadyStream(ReplacedDaemon.socket(directory), "10.0.0.1", ConnectedPrograms.TWO);
  }

  @Test
  void shouldGoOnWithOctetStreamsInOneProcessAfterTheOther() throws Exception {
    try (ReplacedDaemon daemon = ReplacedDaemon.start(directory);
        SteadyStream stream = stream()) {
      stream.awaitOctets(100_000);
      daemon.replaceByKilled();
      for (int i = 0; i < 2; i++) {
        stream.awaitOctets(100_000);
        daemon.replace();
      }
      stream.awaitOctets(10_000_000);
      try (SteadyStream later = stream()) {
        later.awaitOctets(100_000);
        stream.awaitOctets(100_000);
      }
    }
  }

  private static boolean hasLost(Rddp program) {
    try {
      program.allocate(64).close();
      return false;
    } catch (SessionLostException e) {
      return true;
    }
  }

  @Test
  void shouldGoOnInTheOldProcessIfTheNewOneIsKilled() throws Exception {
    try (ReplacedDaemon daemon = ReplacedDaemon.start(directory);
        SteadyExchange exchange = exchange()) {
      exchange.awaitMessages(100);
      daemon.replaceByKilled();
      exchange.awaitMessages(100);
      daemon.replace();
      exchange.awaitMessages(100);
    }
  }

  @Test
  void shouldRefuseIfNoOtherProcessCanMapTheMemory() throws Exception {
    try (ReplacedDaemon daemon = ReplacedDaemon.startBy(WithoutImmutable.WRAPPER, directory);
        SteadyExchange exchange = exchange()) {
      exchange.awaitMessages(100);
      assertThat(daemon.refusal())
          .startsWith("the daemon that runs goes on, as it cannot be handed over now: pid ")
          .contains(" has rings that no other process can map");
      exchange.awaitMessages(100);
    }
  }
}
