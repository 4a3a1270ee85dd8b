package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Atomics;
import org.rddp.client.Completion;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.ConnectionRejectedException;
import org.rddp.client.IncomingConnection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RefusedException;
import org.rddp.client.ScatterList;
import org.rddp.client.types.Access;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;
import org.rddp.client.types.SendFlags;

@Timeout(60)
class DaemonTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int PORT = 7471;
  private static final InetSocketAddress TWO = new InetSocketAddress("10.0.0.2", PORT);

  /** The two ends of a connection, each with its session. */
  private static final class Pair implements AutoCloseable {
    final Rddp here;
    final Rddp there;
    final Connection out;
    final Connection in;

    Pair(TestDaemon daemon) {
      here = daemon.connect("one");
      there = daemon.connect("two");
      Listener listener = there.listen(PORT);
      CompletableFuture<Connection> accepted =
          CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept(data("welcome")));
      out = here.connect(TWO, data("hello"), TIMEOUT);
      in = accepted.join();
    }

    @Override
    public void close() {
      here.close();
      there.close();
    }
  }

  private static PrivateData data(String text) {
    return PrivateData.of(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
  }

  private static List<String> completions(Rddp session, int count) {
    List<String> seen = new ArrayList<>();
    while (seen.size() < count) {
      session.poll(completion -> seen.add(text(completion)), count - seen.size());
      if (seen.size() < count) {
        session.await(TIMEOUT);
      }
    }
    return seen;
  }

  private static String text(Completion completion) {
    return Opcode.name(completion.opcode())
        + " "
        + completion.id()
        + " "
        + completion.status()
        + " "
        + completion.octets();
  }

  @Test
  void shouldCarryPrivateDataBothWays() {
    try (TestDaemon daemon = new TestDaemon();
        Pair pair = new Pair(daemon)) {
      assertThat(pair.in.privateData()).isEqualTo(data("hello"));
      assertThat(pair.out.privateData()).isEqualTo(data("welcome"));
      assertThat(pair.out.remoteAddress()).isEqualTo(TWO);
      assertThat(pair.in.remoteAddress()).isEqualTo(pair.out.localAddress());
    }
  }

  @Test
  void shouldWriteIntoTheOtherProgramsMemory() {
    try (TestDaemon daemon = new TestDaemon();
        Pair pair = new Pair(daemon)) {
      int size = 1 << 20;
      MemoryRegion source = pair.here.allocate(size);
      MemoryRegion sink = pair.there.allocate(size + 16, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
      for (int i = 0; i < size; i++) {
        source.segment().set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31 + (i >> 8)));
      }
      sink.segment().fill((byte) 0x5a);
      assertThat(pair.in.postReceive(9, pair.there.allocate(64, Access.LOCAL_WRITE), 0, 64))
          .isTrue();

      assertThat(pair.out.postWrite(1, source, 0, size, sink.stag(), sink.baseTo() + 8)).isTrue();
      assertThat(pair.out.postInlineSend(2, MemorySegment.ofArray(new byte[5]), 0, 5, 1)).isTrue();

      assertThat(completions(pair.here, 2))
          .containsExactly("write 1 SUCCESS " + size, "send 2 SUCCESS 5");
      assertThat(completions(pair.there, 1)).containsExactly("receive 9 SUCCESS 5");
      assertThat(sink.segment().asSlice(8, size).mismatch(source.segment())).isEqualTo(-1);
      for (int guard = 0; guard < 8; guard++) {
        assertThat(sink.segment().get(ValueLayout.JAVA_BYTE, guard)).isEqualTo((byte) 0x5a);
        assertThat(sink.segment().get(ValueLayout.JAVA_BYTE, size + 8 + guard))
            .isEqualTo((byte) 0x5a);
      }
    }
  }

  private static Completion next(Rddp session) {
    Completion[] seen = new Completion[1];
    while (seen[0] == null) {
      session.poll(completion -> seen[0] = completion, 1);
      if (seen[0] == null) {
        session.await(TIMEOUT);
      }
    }
    return seen[0];
  }

  @Test
  void shouldSendImmediateDataWithWrites() {
    try (TestDaemon daemon = new TestDaemon();
        Pair pair = new Pair(daemon)) {
      MemoryRegion source = pair.here.allocate(5000);
      source.segment().fill((byte) 7);
      MemoryRegion sink = pair.there.allocate(5000, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
      MemoryRegion receives = pair.there.allocate(64, Access.LOCAL_WRITE);
      for (int i = 0; i < 2; i++) {
        assertThat(pair.in.postReceive(i, receives, 8L * i, 8)).isTrue();
      }
      int flags = SendFlags.SIGNALLED | SendFlags.SOLICITED;
      assertThat(
              pair.out.postWriteImmediate(
                  1, source, 0, 5000, sink.stag(), sink.baseTo(), -5, flags))
          .isTrue();
      assertThat(pair.out.postImmediate(2, 1L << 60, SendFlags.SIGNALLED)).isTrue();

      assertThat(completions(pair.here, 2))
          .containsExactly("write with immediate 1 SUCCESS 5000", "immediate 2 SUCCESS 8");
      Completion first = next(pair.there);
      assertThat(first.hasImmediate()).isTrue();
      assertThat(first.immediate()).isEqualTo(-5);
      assertThat(first.isSolicited()).isTrue();
      assertThat(sink.segment().mismatch(source.segment())).isEqualTo(-1);
      Completion second = next(pair.there);
      assertThat(second.id()).isEqualTo(1);
      assertThat(second.immediate()).isEqualTo(1L << 60);
      assertThat(second.isSolicited()).isFalse();
    }
  }

  @Test
  void shouldRunAtomicsOnTheOtherProgramsMemory() {
    try (TestDaemon daemon = new TestDaemon();
        Pair pair = new Pair(daemon)) {
      MemoryRegion results = pair.here.allocate(64, Access.LOCAL_WRITE);
      MemoryRegion target = pair.there.allocate(64, Access.LOCAL_WRITE, Access.REMOTE_ATOMIC);
      target.segment().set(ValueLayout.JAVA_LONG, 8, 40);
      Atomics atomics = pair.out.atomics();
      int stag = target.stag();
      long to = target.baseTo() + 8;
      assertThat(atomics.postFetchAdd(1, results, 0, stag, to, 2, SendFlags.SIGNALLED)).isTrue();
      assertThat(atomics.postCompareSwap(2, results, 8, stag, to, 42, 7, SendFlags.SIGNALLED))
          .isTrue();
      assertThat(atomics.postSwap(3, results, 16, stag, to, 1, -1, SendFlags.SIGNALLED)).isTrue();
      assertThat(atomics.postCompareSwap(4, results, 24, stag, to, 7, 9, SendFlags.SIGNALLED))
          .isTrue();

      assertThat(completions(pair.here, 4))
          .containsExactly(
              "fetch and add 1 SUCCESS 8",
              "compare and swap 2 SUCCESS 8",
              "swap 3 SUCCESS 8",
              "compare and swap 4 SUCCESS 8");
      assertThat(results.segment().asSlice(0, 32).toArray(ValueLayout.JAVA_LONG))
          .containsExactly(40, 42, 7, 1);
      assertThat(target.segment().get(ValueLayout.JAVA_LONG, 8)).isEqualTo(1);
      assertThatThrownBy(() -> atomics.postSwap(5, target, 0, stag, to, 1, -1, SendFlags.SIGNALLED))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void shouldSendAndReceiveScatterLists() {
    try (TestDaemon daemon = new TestDaemon();
        Pair pair = new Pair(daemon)) {
      MemoryRegion first = pair.here.allocate(4000);
      MemoryRegion second = pair.here.allocate(4000);
      first.segment().fill((byte) 1);
      second.segment().fill((byte) 2);
      MemoryRegion sink = pair.there.allocate(8000, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
      ScatterList list = new ScatterList().add(sink, 100, 10).add(sink, 7000, 500);
      assertThat(pair.in.postReceive(9, list)).isTrue();

      list.clear().add(first, 0, 4000).add(second, 10, 3).add(first, 5, 1);
      assertThat(pair.out.postWrite(1, list, sink.stag(), sink.baseTo() + 200, 1)).isTrue();
      list.clear().add(first, 0, 9).add(second, 0, 2);
      assertThat(pair.out.postSend(2, list, SendFlags.SIGNALLED)).isTrue();
      assertThat(completions(pair.here, 2))
          .containsExactly("write 1 SUCCESS 4004", "send 2 SUCCESS 11");
      assertThat(completions(pair.there, 1)).containsExactly("receive 9 SUCCESS 11");

      byte[] expected = new byte[8000];
      Arrays.fill(expected, 200, 4200, (byte) 1);
      Arrays.fill(expected, 4200, 4203, (byte) 2);
      expected[4203] = 1;
      Arrays.fill(expected, 100, 109, (byte) 1);
      expected[109] = 2;
      expected[7000] = 2;
      assertThat(sink.segment().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(expected);
      assertThatThrownBy(() -> pair.in.postReceive(1, list))
          .isInstanceOf(IllegalArgumentException.class);
      first.close();
      second.close();
    }
  }

  @Test
  @Tag("RDMAP-8.1.1-07")
  void shouldLetThePeerInvalidateAnStagOfItsConnectionOnly() {
    try (TestDaemon daemon = new TestDaemon();
        Pair pair = new Pair(daemon)) {
      MemoryRegion source = pair.here.allocate(64);
      MemoryRegion memory = pair.there.allocate(64, Access.REMOTE_WRITE, Access.LOCAL_WRITE);
      MemoryRegion sink = memory.register(pair.in, 0, 64, Access.REMOTE_WRITE, Access.LOCAL_WRITE);
      assertThat(pair.in.postReceive(8, memory, 0, 64)).isTrue();
      assertThat(pair.in.postReceive(9, memory, 0, 64)).isTrue();
      assertThat(pair.out.postWrite(1, source, 0, 64, sink.stag(), sink.baseTo())).isTrue();
      assertThat(pair.out.postSendInvalidate(2, source, 0, 5, sink.stag(), SendFlags.SIGNALLED))
          .isTrue();
      assertThat(completions(pair.here, 2))
          .containsExactly("write 1 SUCCESS 64", "send 2 SUCCESS 5");
      assertThat(next(pair.there).invalidatedStag()).isEqualTo(sink.stag());
      sink.close();

      // The memory's own STag is open to every connection of the session.
      assertThat(pair.out.postSendInvalidate(3, source, 0, 5, memory.stag(), SendFlags.SIGNALLED))
          .isTrue();
      assertThat(pair.out.awaitClosed(TIMEOUT)).isTrue();
      assertThat(pair.out.closeReason()).isEqualTo(Reason.TERMINATED);
      assertThat(pair.out.closeDetail()).isEqualTo(0x0109);
    }
  }

  /** Sends more than both queues hold, so that the peer has to wait for the window. */
  @Test
  void shouldKeepMessagesUntilReceivesArePosted() {
    try (TestDaemon daemon = new TestDaemon();
        Rddp here = daemon.connect("one");
        Rddp there = daemon.connect("two")) {
      ConnectionOptions holding = ConnectionOptions.DEFAULTS.withHeldOctets(2 << 20);
      Listener listener = there.listen(new InetSocketAddress(PORT), 8, holding);
      CompletableFuture<Connection> accepted =
          CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept(data("")));
      Connection out = here.connect(TWO, data(""), TIMEOUT);
      Connection in = accepted.join();
      int size = 100_000;
      int messages = 40;
      MemoryRegion source = here.allocate(size);
      MemoryRegion sink = there.allocate(size, Access.LOCAL_WRITE);
      for (int i = 0; i < messages; i++) {
        assertThat(out.postSend(i, source, 0, size)).isTrue();
        if (i == 0) {
          completions(here, 1);
        }
      }
      for (int i = 0; i < messages; i++) {
        assertThat(in.postReceive(i, sink, 0, size)).isTrue();
        assertThat(completions(there, 1)).containsExactly("receive " + i + " SUCCESS " + size);
      }
      assertThat(completions(here, messages - 1)).allMatch(text -> text.contains("SUCCESS"));
      assertThatThrownBy(() ->
              there.listen(
                  new InetSocketAddress(0), 8, ConnectionOptions.DEFAULTS.withHeldOctets(1 << 30)))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("hold");
    }
  }

  @Test
  void shouldReportUnsignalledRequestsWithTheNextCompletion() {
    try (TestDaemon daemon = new TestDaemon();
        Pair pair = new Pair(daemon)) {
      MemoryRegion source = pair.here.allocate(64);
      MemoryRegion sink = pair.there.allocate(64, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
      for (int i = 0; i < 10; i++) {
        assertThat(pair.out.postWrite(i, source, 0, 64, sink.stag(), 0, 0)).isTrue();
      }
      assertThat(pair.out.sendsOutstanding()).isEqualTo(10);
      assertThat(pair.out.postWrite(10, source, 0, 64, sink.stag(), 0)).isTrue();

      assertThat(completions(pair.here, 1)).containsExactly("write 10 SUCCESS 64");
      assertThat(pair.out.sendsOutstanding()).isZero();
    }
  }

  @Test
  void shouldReportTheLastUnsignalledRequestWhenTheConnectionEnds() {
    try (TestDaemon daemon = new TestDaemon();
        Pair pair = new Pair(daemon)) {
      MemoryRegion source = pair.here.allocate(64);
      MemoryRegion sink = pair.there.allocate(64, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
      for (int i = 0; i < 10; i++) {
        assertThat(pair.out.postWrite(i, source, 0, 64, sink.stag(), 0, 0)).isTrue();
      }
      pair.in.disconnect();
      pair.out.close();

      assertThat(completions(pair.here, 1)).containsExactly("write 9 SUCCESS 64");
      assertThat(pair.out.sendsOutstanding()).isZero();
    }
  }

  @Test
  void shouldCloseGracefully() {
    try (TestDaemon daemon = new TestDaemon();
        Pair pair = new Pair(daemon)) {
      MemoryRegion room = pair.there.allocate(64, Access.LOCAL_WRITE);
      assertThat(pair.in.postReceive(1, room, 0, 64)).isTrue();
      assertThat(pair.in.postReceive(2, room, 0, 64)).isTrue();
      assertThat(pair.out.postInlineSend(3, MemorySegment.ofArray(new byte[9]), 0, 9, 1)).isTrue();
      pair.out.disconnect();
      TestDaemon.await(pair.in::isPeerClosed, "the peer has closed");
      pair.in.disconnect();

      assertThat(pair.out.awaitClosed(TIMEOUT)).isTrue();
      assertThat(pair.in.awaitClosed(TIMEOUT)).isTrue();
      assertThat(completions(pair.there, 2))
          .containsExactly("receive 1 SUCCESS 9", "receive 2 FLUSHED 0");
      assertThat(pair.out.closeReason()).isEqualTo(Reason.LOCAL_CLOSE);
    }
  }

  @Test
  void shouldRejectWithPrivateData() {
    try (TestDaemon daemon = new TestDaemon();
        Rddp here = daemon.connect("one");
        Rddp there = daemon.connect("two")) {
      Listener listener = there.listen(PORT);
      CompletableFuture<Void> rejected =
          CompletableFuture.runAsync(() -> {
            IncomingConnection incoming = listener.await(TIMEOUT);
            incoming.reject(data("no room"));
          });

      assertThatThrownBy(() -> here.connect(TWO, data("hello"), TIMEOUT))
          .isInstanceOfSatisfying(
              ConnectionRejectedException.class,
              e -> assertThat(e.privateData()).isEqualTo(data("no room")))
          .hasMessage("10.0.0.2:%d rejected the connection: \"no room\"", PORT);
      rejected.join();
    }
  }

  @Test
  void shouldReportThatNoProgramListens() {
    try (TestDaemon daemon = new TestDaemon();
        Rddp here = daemon.connect("one")) {
      assertThatThrownBy(() -> here.connect(TWO, data("hello"), TIMEOUT))
          .hasMessage(
              "no connection with 10.0.0.2:%d: no program listens at that port (REFUSED)", PORT);
    }
  }

  @Test
  void shouldEndTheStreamOfARefusedWrite() {
    try (TestDaemon daemon = new TestDaemon();
        Pair pair = new Pair(daemon)) {
      MemoryRegion source = pair.here.allocate(64);
      MemoryRegion sink = pair.there.allocate(64, Access.LOCAL_WRITE);
      assertThat(pair.out.postWrite(1, source, 0, 64, sink.stag(), 0)).isTrue();

      assertThat(pair.in.awaitClosed(TIMEOUT)).isTrue();
      assertThat(pair.out.awaitClosed(TIMEOUT)).isTrue();
      assertThat(pair.in.closeReason().name()).endsWith("_ERROR");
    }
  }

  @Test
  void shouldRejectRequestsBeyondARegion() {
    try (TestDaemon daemon = new TestDaemon();
        Pair pair = new Pair(daemon)) {
      MemoryRegion source = pair.here.allocate(64);
      MemoryRegion sink = pair.there.allocate(64, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
      MemoryRegion gone = pair.here.allocate(64);
      int stag = gone.stag();
      gone.close();

      assertThat(stag).isNotZero();
      assertThatThrownBy(() -> pair.out.postWrite(1, source, 60, 8, sink.stag(), 0))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void shouldFreeMemoryThatAPostedReceiveNames() {
    try (TestDaemon daemon = new TestDaemon();
        Pair pair = new Pair(daemon)) {
      MemoryRegion region = pair.there.allocate(2 << 20, Access.LOCAL_WRITE);
      TestDaemon.await(() -> counter(pair.here, "memory_bytes") == 2 << 20, "memory is counted");
      assertThat(pair.in.postReceive(1, region, 0, 64)).isTrue();
      region.close();
      region.close();
      TestDaemon.await(() -> counter(pair.here, "memory_bytes") == 0, "memory is back");
      assertThat(counter(pair.here, "two.stags")).isZero();
      assertThatThrownBy(() -> region.segment().fill((byte) 1))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void shouldKeepMemoryUntilAllRegionsOnItAreClosed() {
    try (TestDaemon daemon = new TestDaemon();
        Rddp session = daemon.connect("one")) {
      MemoryRegion region = session.allocate(2 << 20);
      MemoryRegion part = region.register(0, 64);
      TestDaemon.await(() -> counter(session, "memory_bytes") == 2 << 20, "memory is counted");
      assertThatThrownBy(region::close).isInstanceOf(RefusedException.class);
      part.segment().fill((byte) 1);
      part.close();
      region.close();
      TestDaemon.await(() -> counter(session, "memory_bytes") == 0, "memory is back");
    }
  }

  @Test
  void shouldFreeAllResourcesWhenSessionsEnd() throws Exception {
    try (TestDaemon daemon = new TestDaemon()) {
      for (int round = 0; round < 5; round++) {
        try (Pair pair = new Pair(daemon)) {
          MemoryRegion source = pair.here.allocate(1 << 16);
          MemoryRegion sink = pair.there.allocate(1 << 16, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
          for (int i = 0; i < 16; i++) {
            assertThat(pair.out.postWrite(i, source, 0, 1 << 16, sink.stag(), 0)).isTrue();
          }
        }
      }
      TestDaemon.await(() -> daemon.packetsOut() == 0, "every packet is back");
      try (Rddp session = daemon.connect("one")) {
        TestDaemon.await(() -> counter(session, "sessions") == 1, "sessions are counted");
        TestDaemon.await(() -> counter(session, "memory_bytes") == 0, "memory is back");
        assertThat(counter(session, "one.stags")).isZero();
        assertThat(counter(session, "two.stags")).isZero();
        assertThat(counter(session, "one.engine_faults")).isZero();
      }
    }
  }

  private static long counter(Rddp session, String name) {
    try {
      return TestDaemon.counters(session).get(name);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldCompletePostedRequestsWhenItStops() {
    TestDaemon daemon = new TestDaemon();
    Pair pair = new Pair(daemon);
    MemoryRegion room = pair.there.allocate(64, Access.LOCAL_WRITE);
    assertThat(pair.in.postReceive(1, room, 0, 64)).isTrue();
    daemon.close();

    assertThat(pair.out.awaitClosed(TIMEOUT)).isTrue();
    assertThat(pair.in.awaitClosed(TIMEOUT)).isTrue();
    assertThat(completions(pair.there, 1)).containsExactly("receive 1 FLUSHED 0");
    pair.close();
  }
}
