package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.daemon.ConnectedPrograms.TIMEOUT;
import static org.rddp.daemon.ConnectedPrograms.completions;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionFailedException;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;

/** Connections to the address of the program's own interface. */
class OwnAddressTest {
  private static final int OCTETS = 100_000;

  private final TestDaemon daemon = new TestDaemon();

  @AfterEach
  void shouldLeaveNoPackets() {
    TestDaemon.await(() -> daemon.packetsOut() == 0, "every packet is free");
    daemon.close();
  }

  /** One Send and one RDMA Write of many segments from one end to the other. */
  private void exchange(Rddp connecting, Rddp listening) {
    try (Listener listener = listening.listen(0)) {
      CompletableFuture<Connection> accepted =
          CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept());
      InetSocketAddress own =
          new InetSocketAddress(TestDaemon.ADDRESS_ONE, listener.address().getPort());
      try (Connection out = connecting.connect(own, PrivateData.NONE, TIMEOUT);
          Connection in = accepted.join()) {
        assertThat(in.remoteAddress().getAddress().getHostAddress())
            .isEqualTo(TestDaemon.ADDRESS_ONE);
        transfer(connecting, out, listening, in);
        out.disconnect();
      }
    }
    TestDaemon.await(() -> looped(connecting) > 2 * OCTETS / 1500, "the segments are counted");
  }

  private static long looped(Rddp session) {
    try {
      return TestDaemon.counters(session).get("one.ip_looped_frames");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void transfer(Rddp connecting, Connection out, Rddp listening, Connection in) {
    try (MemoryRegion source = connecting.allocate(OCTETS, Access.LOCAL_WRITE);
        MemoryRegion received = listening.allocate(OCTETS, Access.LOCAL_WRITE);
        MemoryRegion written =
            listening.allocate(OCTETS, Access.LOCAL_WRITE, Access.REMOTE_WRITE)) {
      for (int i = 0; i < OCTETS; i++) {
        source.segment().set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31));
      }
      assertThat(in.postReceive(1, received, 0, OCTETS)).isTrue();
      assertThat(out.postWrite(2, source, 0, OCTETS, written.stag(), 0)).isTrue();
      assertThat(out.postSend(3, source, 0, OCTETS)).isTrue();
      int both = connecting == listening ? 3 : 1;
      assertThat(completions(listening, both)).contains("receive 1 SUCCESS " + OCTETS);
      if (connecting != listening) {
        assertThat(completions(connecting, 2)).hasSize(2);
      }
      assertThat(received.segment().mismatch(source.segment())).isEqualTo(-1);
      assertThat(written.segment().mismatch(source.segment())).isEqualTo(-1);
    }
  }

  @Test
  void shouldConnectAProgramToItself() {
    try (Rddp session = daemon.connect("one")) {
      exchange(session, session);
    }
  }

  @Test
  void shouldConnectTwoProgramsOfOneInterface() {
    try (Rddp connecting = daemon.connect("one");
        Rddp listening = daemon.connect("one")) {
      exchange(connecting, listening);
    }
  }

  @Test
  void shouldReportThatNobodyListensAtTheOwnAddress() {
    try (Rddp session = daemon.connect("one")) {
      InetSocketAddress own = new InetSocketAddress(TestDaemon.ADDRESS_ONE, 7471);
      assertThatThrownBy(() -> session.connect(own, PrivateData.NONE, TIMEOUT))
          .isInstanceOfSatisfying(
              ConnectionFailedException.class,
              e -> assertThat(e.reason()).isEqualTo(Reason.REFUSED))
          .hasMessageContaining("no program listens at that port");
    }
  }
}
