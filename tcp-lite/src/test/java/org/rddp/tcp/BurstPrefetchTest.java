package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Connections that are prefetched because their users are about to send. */
class BurstPrefetchTest {
  private static final int MANY = 1024;

  private final Script script =
      new Script(TcpSettings.DEFAULTS.withConnections(2 * MANY).withPeerConnections(2 * MANY));
  private final List<TcpConnection> streams = new ArrayList<>();
  private final BurstPrefetch prefetch = script.stack.prefetch(2);

  private void open(int connections) {
    script.listen((stream, address, port) -> {
      streams.add(stream);
      Recorder handler = new Recorder();
      handler.stream = stream;
      return handler;
    });
    for (int port = 1; port <= connections; port++) {
      script.theirPort = port;
      script.receive("S seq 0 mss 1000");
      script.expect("S. seq 0 ack 1");
      script.receive(". seq 1 ack 1");
    }
  }

  @Test
  void shouldPayOnlyForManyConnections() {
    open(MANY - 1);
    assertThat(prefetch.worthwhile()).isFalse();
    script.stack.connect(Script.THEIRS, 7, new Recorder());
    assertThat(prefetch.worthwhile()).isTrue();
  }

  @Test
  void shouldSendAfterwardsAsWithout() {
    open(3);
    // One more than it takes, one of them twice, and one with octets in flight.
    prefetch.add(streams.get(2));
    prefetch.add(streams.get(2));
    prefetch.add(streams.get(0));
    prefetch.prefetchSending();
    assertThat(prefetch.sum()).isNotZero();
    script.stream = streams.get(2);
    script.send(10);
    script.expect("P. seq 1 ack 1 len 10");
    prefetch.add(streams.get(2));
    prefetch.prefetchSending();
    script.send(10);
    script.expect("P. seq 11 ack 1 len 10");
  }

  @Test
  void shouldForgetTheConnectionsOfTheLastBurst() {
    open(1);
    prefetch.add(streams.getFirst());
    prefetch.prefetchSending();
    prefetch.prefetchSending();
    assertThat(prefetch.sum()).isZero();
  }

  @Test
  void shouldBearAConnectionThatHasEnded() {
    open(1);
    streams.getFirst().abort();
    prefetch.add(streams.getFirst());
    prefetch.prefetchSending();
    assertThat(script.stack.connections()).isZero();
  }
}
