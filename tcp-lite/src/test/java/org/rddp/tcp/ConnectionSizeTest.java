package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.openjdk.jol.info.GraphLayout;

/**
 * How much memory an idle connection takes: every object that only it reaches, its slots in the
 * table and in the timer wheel included, as the JVM lays them out.
 */
class ConnectionSizeTest {
  private static final int MANY = 10_000;
  private static final int MOST_OCTETS = 536;

  static {
    // Fields of records and hidden classes hide their offsets from everything else.
    System.setProperty("jol.magicFieldOffset", "true");
  }

  /** A stack with that many connections, all of which have sent, received and lost something. */
  private static TcpStack stack(int connections) {
    TcpSettings settings = TcpSettings.DEFAULTS.withConnections(MANY).withPeerConnections(MANY);
    Script script = new Script(settings);
    Recorder handler = new Recorder();
    script.listen((stream, address, port) -> {
      script.stream = stream;
      handler.stream = stream;
      return handler;
    });
    for (int i = 0; i < connections; i++) {
      script.theirPort = 1 + i;
      script.receive("S seq 0 mss 1000 ws 7 ts 1");
      script.expect("S. seq 0 ack 1");
      script.receive(". seq 1 ack 1 ts 1");
      script.send(10);
      script.receive(". seq 11 ack 1 len 10 ts 2");
      script.receive(". seq 1 ack 11 len 10 ts 2");
      script.receive(". seq 21 ack 11 ts 3");
      script.drain();
      handler.events.clear();
      assertThat(script.stream.unacknowledged()).isZero();
      assertThat(script.stream.receivePosition()).isEqualTo(20);
    }
    script.pass(100 * Script.SECOND);
    assertThat(script.stack.connections()).isEqualTo(connections);
    assertThat(script.stack.packetsHeld()).isZero();
    return script.stack;
  }

  @Test
  void shouldTakeFewOctetsForAnIdleConnection() {
    GraphLayout one = GraphLayout.parseInstance(stack(1));
    GraphLayout many = GraphLayout.parseInstance(stack(MANY));
    long octets = (many.totalSize() - one.totalSize()) / (MANY - 1);
    assertThat(octets).as(many.subtract(one).toFootprint()).isLessThanOrEqualTo(MOST_OCTETS);
  }
}
