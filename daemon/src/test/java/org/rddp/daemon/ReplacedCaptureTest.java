package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.client.Capture;
import org.rddp.client.Connection;
import org.rddp.client.KeyExchangeHandler;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.ConfigurationFile;
import org.rddp.ipc.ring.TraceEvent;

/** Captures, traces and the exchange of keys go on when a daemon takes the place of another one. */
@Timeout(60)
class ReplacedCaptureTest extends ReplacedDaemonsFixture {
  /** A number that nothing else in a frame has. */
  private static final long MARK = 0x6d61_726b_0000_0000L;

  /** A program that captures or traces sees what each daemon does, once. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldGoOnCapturingAndTracing(boolean traces) throws Exception {
    try (Rddp here = connect("one");
        Rddp there = connect("two");
        Rddp viewer = connect("one")) {
      Listener listener = there.listen(7471);
      CompletableFuture<Connection> accepted =
          CompletableFuture.supplyAsync(() -> listener.await(ConnectedPrograms.TIMEOUT).accept());
      Connection out =
          here.connect(ConnectedPrograms.TWO, PrivateData.NONE, ConnectedPrograms.TIMEOUT);
      Connection in = accepted.join();
      MemoryRegion source = here.allocate(64);
      MemoryRegion sink = there.allocate(64, Access.LOCAL_WRITE);
      List<Long> seen = new ArrayList<>();
      for (int round = 0; round < 2; round++) {
        seen.clear();
        try (Capture capture =
            traces
                ? viewer.startTrace(1 << 18, out.id(), OWN)
                : viewer.startCapture(1 << 18, 128, false)) {
          for (int i = 0; i < 4; i++) {
            source.segment().set(ValueLayout.JAVA_LONG_UNALIGNED, 0, MARK + i);
            assertThat(in.postReceive(i, sink, 0, 64)).isTrue();
            assertThat(out.postSend(MARK + i, source, 0, 8)).isTrue();
            ConnectedPrograms.completions(there, 1);
            ConnectedPrograms.completions(here, 1);
            capture.poll((time, length, octets) -> addMark(traces, octets, seen), i);
            replace(ADDRESS_ONE);
          }
          viewer.stopCapture();
          capture.poll((time, length, octets) -> addMark(traces, octets, seen), 10_000);
          assertThat(capture.lost()).isZero();
        }
        assertThat(seen).containsExactly(MARK, MARK + 1, MARK + 2, MARK + 3);
      }
    }
  }

  /** Adds a mark that a frame has at its end, or that names a request in the event of a trace. */
  private static void addMark(boolean traces, MemorySegment octets, List<Long> seen) {
    TraceEvent event = new TraceEvent();
    event.wrap(octets);
    if (traces && event.kind() == TraceEvent.REQUEST_TAKEN) {
      seen.add(event.number(0));
    }
    for (long at = 54; !traces && at <= octets.byteSize() - 8; at++) {
      long found = octets.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
      if (found >= MARK && found < MARK + 4) {
        seen.add(found);
      }
    }
  }

  /** Another connection has the number of one whose trace has not been stopped. */
  @Test
  void shouldGoOnWithATraceOfAConnectionThatHasEnded() throws Exception {
    try (Rddp viewer = connect("one")) {
      Capture capture;
      try (Rddp here = connect("one");
          Rddp there = connect("two");
          Listener listener = there.listen(7471)) {
        CompletableFuture<Connection> accepted =
            CompletableFuture.supplyAsync(() -> listener.await(ConnectedPrograms.TIMEOUT).accept());
        Connection out =
            here.connect(ConnectedPrograms.TWO, PrivateData.NONE, ConnectedPrograms.TIMEOUT);
        accepted.join();
        capture = viewer.startTrace(1 << 18, out.id(), 0);
      }
      try (SteadyExchange later =
          new SteadyExchange(connect("one"), connect("two"), ConnectedPrograms.TWO)) {
        assertThat(capture.poll((time, length, octets) -> {}, 10_000)).isPositive();
        replace(ADDRESS_ONE);
        later.awaitMessages(100);
        assertThat(capture.poll((time, length, octets) -> {}, 10_000)).isZero();
      }
      viewer.stopCapture();
      capture.close();
      replace(ADDRESS_ONE);
    }
  }

  /** What {@code rddp ipsec mirror} does; nobody else gets IKE's datagrams meanwhile. */
  @Test
  void shouldGoOnExchangingKeys() throws Exception {
    old.close();
    Configuration secured =
        ConfigurationFile.parse(
            "test",
            text("one", ADDRESS_ONE)
                .replace("device =", "ipsec = { default = \"require\" }\ndevice ="));
    old = Daemon.start(secured, ports(), out());
    daemons.add(old);
    InetAddress one = InetAddress.getByName(ADDRESS_ONE);
    InetAddress two = InetAddress.getByName(TestDaemon.ADDRESS_TWO);
    BlockingQueue<Integer> told = new LinkedBlockingQueue<>();
    try (Rddp other = connect("one");
        Rddp there = connect("two")) {
      try (Rddp here = connect("one")) {
        here.securityAssociations().exchangeKeys(marks(told));
        there.securityAssociations().exchangeKeys(marks(told));
        for (int i = 0; i < 3; i++) {
          replace(secured);
          here.securityAssociations().send(one, two, datagram(i));
          assertThat(told.poll(60, TimeUnit.SECONDS)).isEqualTo(i);
          there.securityAssociations().send(two, one, datagram(-i));
          assertThat(told.poll(60, TimeUnit.SECONDS)).isEqualTo(-i);
          assertThatThrownBy(() -> other.securityAssociations().exchangeKeys(marks(told)))
              .hasMessageContaining("another program");
        }
      }
      other.securityAssociations().exchangeKeys(marks(told));
    }
  }

  private static byte[] datagram(int mark) {
    short ike = 500;
    return ByteBuffer.allocate(40)
        .putShort(ike)
        .putShort(ike)
        .putShort((short) 40)
        .putInt(10, mark)
        .array();
  }

  private static KeyExchangeHandler marks(BlockingQueue<Integer> told) {
    return new KeyExchangeHandler() {
      @Override
      public void onDatagram(InetAddress local, InetAddress remote, byte[] datagram) {
        told.add(ByteBuffer.wrap(datagram).getInt(10));
      }

      @Override
      public void onNeed(InetSocketAddress local, InetSocketAddress remote) {
        // The test makes no connection.
      }
    };
  }
}
