package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Bursts among enough connections for prefetching. */
class ConnectionPrefetchTest {
  private static final int MANY = 1100;

  private final Script script =
      new Script(TcpSettings.DEFAULTS.withConnections(2 * MANY).withPeerConnections(2 * MANY));
  private final List<Recorder> handlers = new ArrayList<>();

  private void open() {
    script.listen((stream, address, port) -> {
      Recorder handler = new Recorder();
      handler.stream = stream;
      handlers.add(handler);
      return handler;
    });
    for (int port = 1; port <= MANY; port++) {
      script.theirPort = port;
      script.receive("S seq 0 mss 1000");
      script.expect("S. seq 0 ack 1");
      script.receive(". seq 1 ack 1");
    }
    handlers.forEach(handler -> handler.events.clear());
  }

  @Test
  void shouldReceiveABurstAsIfOneByOne() {
    open();
    script.theirPort = MANY;
    script.receiveTogether(
        ". seq 1 ack 1 len 10", ". seq 11 ack 1 len 10", "R seq 21", ". seq 21 ack 1 len 10");
    assertThat(script.stack.connections()).isEqualTo(MANY - 1);
    assertThat(handlers.get(MANY - 1).events).hasSize(3);
    assertThat(script.stack.counters().octetsIn).isEqualTo(20);
    script.expect("R seq 1");
  }

  @Test
  void shouldPrefetchOnlyForManyConnections() {
    ConnectionPrefetch prefetch = new ConnectionPrefetch(script.stack.context, 2);
    assertThat(prefetch.worthwhile()).isFalse();
    prefetch.prefetch();
    assertThat(prefetch.sum()).isZero();
    open();
    assertThat(prefetch.worthwhile()).isTrue();
    for (TcpConnection one : script.stack.context.connections.snapshot()) {
      prefetch.add(one.key);
    }
    prefetch.prefetch();
    assertThat(prefetch.sum()).isNotZero();
    prefetch.add(0);
    prefetch.prefetch();
    assertThat(script.stack.connections()).isEqualTo(MANY);
  }
}
