package org.rddp.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.client.types.Access;
import org.rddp.client.types.CompletionStatus;
import org.rddp.client.types.CongestionChoice;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;
import org.rddp.client.types.RequestForm;
import org.rddp.client.types.SendFlags;
import org.rddp.ipc.ring.WorkRequest;

@Timeout(60)
class ConnectionTest {
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final PrivateData QUESTION = data("question");
  private static final PrivateData ANSWER = data("answer");

  @TempDir private Path directory;
  private FakeDaemon daemon;
  private Rddp near;
  private Rddp far;
  private Listener listener;
  private Connection nearEnd;
  private Connection farEnd;
  private MemoryRegion nearMemory;
  private MemoryRegion farMemory;

  private static PrivateData data(String text) {
    return PrivateData.of(text.getBytes(StandardCharsets.UTF_8));
  }

  @BeforeEach
  void start() throws IOException {
    Path socket = directory.resolve("rddpd.sock");
    daemon = FakeDaemon.start(socket);
    near = Rddp.connect(socket);
    far = Rddp.connect(socket);
    listener = far.listen(0);
    nearMemory = near.allocate(1 << 16, Access.LOCAL_WRITE);
    farMemory = far.allocate(1 << 16, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
  }

  @AfterEach
  void stop() throws IOException {
    near.close();
    far.close();
    daemon.close();
  }

  private void join() {
    Thread acceptor = Thread.ofPlatform().start(() -> farEnd = listener.await(LONG).accept(ANSWER));
    nearEnd = near.connect(listener.address(), QUESTION, LONG);
    try {
      acceptor.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldWaitWithoutLimit() throws Exception {
    Duration forEver = ChronoUnit.FOREVER.getDuration();
    Thread acceptor =
        Thread.ofPlatform().start(() -> farEnd = listener.await(forEver).accept(ANSWER));
    nearEnd = near.connect(listener.address(), QUESTION, forEver);
    acceptor.join();
    assertThat(nearEnd.postReceive(1, nearMemory, 0, 8)).isTrue();
    nearEnd.disconnect();
    assertThat(farEnd.awaitClosed(forEver)).isTrue();
    assertThat(near.await(forEver)).isTrue();
  }

  @Test
  void shouldNotWaitWithANegativeTimeout() {
    Duration over = Duration.ofSeconds(-1);
    assertThat(near.await(over)).isFalse();
    assertThat(listener.await(over)).isNull();
  }

  /** Waits for a completion and formats it, since it is valid during the call only. */
  private static String next(Rddp session) {
    List<String> seen = new ArrayList<>();
    while (session.poll(completion -> seen.add(describe(completion)), 1) == 0) {
      session.await(LONG);
    }
    return seen.getFirst();
  }

  private static String describe(Completion completion) {
    return Opcode.name(completion.opcode())
        + " "
        + completion.id()
        + " "
        + completion.status()
        + " "
        + completion.octets();
  }

  @Test
  void shouldConnectWithPrivateDataBothWays() {
    Thread acceptor =
        Thread.ofPlatform()
            .start(() -> {
              IncomingConnection incoming = listener.await(LONG);
              assertThat(incoming.privateData()).isEqualTo(QUESTION);
              assertThat(incoming.remoteAddress().getPort()).isEqualTo(50_000);
              farEnd = incoming.accept(ANSWER);
            });
    nearEnd = near.connect(listener.address(), QUESTION, LONG);
    assertThat(nearEnd.privateData()).isEqualTo(ANSWER);
    assertThat(nearEnd.isOpen()).isTrue();
    assertThat(nearEnd.closeReason()).isNull();
    Eventually.isTrue(() -> !acceptor.isAlive());
    assertThat(farEnd.isOpen()).isTrue();
    assertThat(farEnd.privateData()).isEqualTo(QUESTION);
  }

  @Test
  void shouldReportThePrivateDataOfARejection() {
    Thread rejector = Thread.ofPlatform().start(() -> listener.await(LONG).reject(data("not you")));
    assertThatThrownBy(() -> near.connect(listener.address(), QUESTION, LONG))
        .isInstanceOf(ConnectionRejectedException.class)
        .extracting(e -> ((ConnectionRejectedException) e).privateData())
        .isEqualTo(data("not you"));
    Eventually.isTrue(() -> !rejector.isAlive());
  }

  @Test
  void shouldReportThatNoProgramListens() {
    listener.close();
    assertThatThrownBy(() -> near.connect(listener.address(), PrivateData.NONE, LONG))
        .isInstanceOf(ConnectionFailedException.class)
        .hasMessageContaining("no program listens there")
        .extracting(e -> ((ConnectionFailedException) e).reason())
        .isEqualTo(Reason.REFUSED);
    assertThatThrownBy(listener::poll).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldReportThatAPortIsInUse() {
    assertThatThrownBy(() -> near.listen(listener.address().getPort()))
        .isInstanceOf(RefusedException.class)
        .extracting(e -> ((RefusedException) e).reason())
        .isEqualTo(Reason.ADDRESS_IN_USE);
  }

  @Test
  void shouldUseReceivesPostedBeforeAccepting() {
    Thread acceptor =
        Thread.ofPlatform()
            .start(() -> {
              IncomingConnection incoming = listener.await(LONG);
              assertThat(incoming.connection().postReceive(1, farMemory, 0, 10)).isTrue();
              assertThat(incoming.connection().postReceive(2, farMemory, 10, 10)).isTrue();
              farEnd = incoming.accept();
            });
    nearEnd = near.connect(listener.address(), QUESTION, LONG);
    Eventually.isTrue(() -> !acceptor.isAlive());
    nearMemory.segment().setString(5, "hello");
    assertThat(nearEnd.postSend(11, nearMemory, 5, 6)).isTrue();
    assertThat(nearEnd.postSend(12, nearMemory, 0, 0)).isTrue();

    assertThat(next(far)).isEqualTo("receive 1 SUCCESS 6");
    assertThat(next(far)).isEqualTo("receive 2 SUCCESS 0");
    assertThat(farMemory.segment().getString(0)).isEqualTo("hello");
    assertThat(next(near)).isEqualTo("send 11 SUCCESS 6");
    assertThat(next(near)).isEqualTo("send 12 SUCCESS 0");
    assertThat(farEnd.receivesOutstanding()).isZero();
    assertThat(nearEnd.sendsOutstanding()).isZero();
  }

  @Test
  void shouldWriteIntoThePeersMemory() {
    join();
    nearMemory.segment().setString(0, "written");
    assertThat(nearEnd.postWrite(1, nearMemory, 0, 8, farMemory.stag(), 100)).isTrue();
    assertThat(next(near)).isEqualTo("write 1 SUCCESS 8");
    assertThat(farMemory.segment().getString(100)).isEqualTo("written");

    MemorySegment message = MemorySegment.ofArray(new long[] {0x1122334455667788L});
    assertThat(
            nearEnd.postInlineWrite(2, message, 0, 8, farMemory.stag(), 200, SendFlags.SIGNALLED))
        .isTrue();
    assertThat(next(near)).isEqualTo("write 2 SUCCESS 8");
    assertThat(farMemory.segment().get(ValueLayout.JAVA_LONG, 200)).isEqualTo(0x1122334455667788L);
  }

  @Test
  void shouldReportARemoteAccessError() {
    join();
    assertThat(nearEnd.postWrite(1, nearMemory, 0, 8, farMemory.stag() + 1, 0)).isTrue();
    assertThat(next(near)).isEqualTo("write 1 REMOTE_ACCESS_ERROR 0");
    assertThat(nearEnd.postWrite(2, nearMemory, 0, 8, farMemory.stag(), (1 << 16) - 7)).isTrue();
    assertThat(next(near)).isEqualTo("write 2 REMOTE_ACCESS_ERROR 0");
  }

  @Test
  void shouldSendInlineFromAnyMemory() {
    join();
    MemorySegment message = MemorySegment.ofArray(new byte[WorkRequest.MAX_INLINE]);
    message.fill((byte) 5);
    assertThat(farEnd.postReceive(1, farMemory, 0, 1000)).isTrue();
    assertThat(nearEnd.postInlineSend(2, message, 0, WorkRequest.MAX_INLINE, SendFlags.SIGNALLED))
        .isTrue();
    message.fill((byte) 6);
    assertThat(next(far)).isEqualTo("receive 1 SUCCESS " + WorkRequest.MAX_INLINE);
    assertThat(
            farMemory.segment().asSlice(0, WorkRequest.MAX_INLINE).toArray(ValueLayout.JAVA_BYTE))
        .containsOnly(5);
    assertThatThrownBy(() -> nearEnd.postInlineSend(3, message, 0, WorkRequest.MAX_INLINE + 1, 0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldReportAMessageLongerThanItsReceive() {
    join();
    assertThat(farEnd.postReceive(1, farMemory, 0, 3)).isTrue();
    assertThat(nearEnd.postSend(2, nearMemory, 0, 4)).isTrue();
    assertThat(next(far)).isEqualTo("receive 1 LOCAL_LENGTH_ERROR 0");
  }

  @Test
  void shouldRetireUnsignalledSendsWithTheNextSignalledOne() {
    join();
    for (int i = 0; i < 8; i++) {
      assertThat(farEnd.postReceive(i, farMemory, 0, 10)).isTrue();
    }
    for (int i = 0; i < 7; i++) {
      assertThat(nearEnd.postSend(i, nearMemory, 0, 1, 0)).isTrue();
    }
    assertThat(nearEnd.sendsOutstanding()).isEqualTo(7);
    assertThat(nearEnd.postSend(7, nearMemory, 0, 1)).isTrue();
    assertThat(next(near)).isEqualTo("send 7 SUCCESS 1");
    assertThat(nearEnd.sendsOutstanding()).isZero();
    assertThat(near.poll(completion -> {}, 1)).isZero();
  }

  @Test
  void shouldLimitEachQueueAndFlushItAtTheEnd() {
    join();
    for (int i = 0; i < FakeSession.LIMITS.receiveQueue(); i++) {
      assertThat(nearEnd.postReceive(i, nearMemory, 0, 10)).isTrue();
    }
    assertThat(nearEnd.postReceive(100, nearMemory, 0, 10)).isFalse();
    for (int i = 0; i < FakeSession.LIMITS.sendQueue(); i++) {
      assertThat(nearEnd.postSend(1000 + i, nearMemory, 0, 10)).isTrue();
    }
    assertThat(nearEnd.postSend(2000, nearMemory, 0, 10)).isFalse();

    nearEnd.disconnect();
    assertThat(nearEnd.awaitClosed(LONG)).isTrue();
    for (int i = 0; i < FakeSession.LIMITS.receiveQueue(); i++) {
      assertThat(next(near)).isEqualTo("receive " + i + " FLUSHED 0");
    }
    for (int i = 0; i < FakeSession.LIMITS.sendQueue(); i++) {
      assertThat(next(near)).isEqualTo("send " + (1000 + i) + " FLUSHED 0");
    }
    assertThat(nearEnd.closeReason()).isEqualTo(Reason.LOCAL_CLOSE);
    assertThat(farEnd.awaitClosed(LONG)).isTrue();
    assertThat(farEnd.closeReason()).isEqualTo(Reason.PEER_CLOSE);
    assertThat(farEnd.isPeerClosed()).isTrue();
    assertThat(nearEnd.isOpen()).isFalse();
  }

  @Test
  void shouldFlushRequestsPostedAfterTheEnd() {
    join();
    farEnd.close();
    assertThat(nearEnd.awaitClosed(LONG)).isTrue();
    assertThat(nearEnd.postSend(1, nearMemory, 0, 10)).isTrue();
    assertThat(next(near)).isEqualTo("send 1 FLUSHED 0");
    nearEnd.close();
    assertThat(nearEnd.postSend(2, nearMemory, 0, 10)).isTrue();
    assertThat(next(near)).isEqualTo("send 2 FLUSHED 0");
    nearEnd.disconnect();
    nearEnd.abort();
  }

  @Test
  void shouldRejectRangesOutsideOfARegion() {
    join();
    assertThatThrownBy(() -> nearEnd.postSend(1, nearMemory, 1, 1 << 16))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessage("65536 octets from offset 1 on are not in a region of 65536");
    assertThatThrownBy(() -> nearEnd.postSend(1, nearMemory, -1, 1))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> nearEnd.postSend(1, farMemory, 0, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("another session");
    assertThatThrownBy(() -> nearEnd.postSend(1, nearMemory, 0, 1, RequestForm.INLINE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "a work request of this kind has no flag INLINE; it may have SIGNALLED, FENCED,"
                + " SOLICITED");
    assertThatThrownBy(() -> nearEnd.postWrite(1, nearMemory, 0, 1, 0, 0, 8 | 64))
        .hasMessageContaining("no flag SOLICITED, 0x40;");
    ScatterList list = new ScatterList();
    for (int i = 0; i < ScatterList.MOST; i++) {
      list.add(nearMemory, i, 1);
    }
    assertThatThrownBy(() -> list.add(nearMemory, 6, 1))
        .hasMessage("the list has 6 pieces, the most that a message may lie in");
    try (MemoryRegion large = near.allocate((1L << 32) + 100)) {
      assertThat(nearEnd.postWrite(1, large, 50, 1, farMemory.stag(), 0)).isTrue();
      assertThat(next(near)).isEqualTo("write 1 SUCCESS 1");
      assertThatThrownBy(() -> nearEnd.postSend(1, large, 0, 1L << 32))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("4294967295");
    }
    try (MemoryRegion readOnly = near.allocate(10)) {
      assertThatThrownBy(() -> nearEnd.postReceive(1, readOnly, 0, 1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("LOCAL_WRITE");
    }
  }

  @Test
  void shouldWakeAWaitingProgramOnAConnectionRequest() {
    Thread initiator =
        Thread.ofPlatform().start(() -> nearEnd = near.connect(listener.address(), QUESTION, LONG));
    IncomingConnection incoming = listener.poll();
    while (incoming == null) {
      assertThat(far.await(LONG)).isTrue();
      incoming = listener.poll();
    }
    farEnd = incoming.accept();
    Eventually.isTrue(() -> !initiator.isAlive());
    assertThat(nearEnd.isOpen()).isTrue();
  }

  @Test
  void shouldNotWakeBeforeTheTimeoutWhenNothingHappens() {
    join();
    while (near.await(Duration.ofMillis(20))) {
      // Wake-ups from the connection's set-up may still be pending.
      assertThat(near.poll(completion -> {}, 1)).isZero();
    }
  }

  @Test
  void shouldReportTheEndOfASessionToThePeer() {
    join();
    near.close();
    assertThat(farEnd.awaitClosed(LONG)).isTrue();
    assertThat(farEnd.closeReason()).isEqualTo(Reason.RESET);
  }

  @Test
  void shouldDropConnectionRequestsThatEndBeforeAccept() {
    Connection[] left = new Connection[1];
    Thread initiator =
        Thread.ofPlatform()
            .start(() ->
                assertThatThrownBy(
                    () -> left[0] = near.connect(listener.address(), QUESTION, LONG)));
    IncomingConnection incoming = listener.await(LONG);
    near.close();
    assertThat(incoming.connection().awaitClosed(LONG)).isTrue();
    assertThatThrownBy(incoming::accept).isInstanceOf(ConnectionFailedException.class);
    Eventually.isTrue(() -> !initiator.isAlive());
    assertThat(left[0]).isNull();
    assertThat(listener.poll()).isNull();
  }

  @Test
  void shouldAllocateNothingWhenPostingAndPolling() {
    join();
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    CompletionHandler handler = completion -> assertSuccess(completion);
    MemorySegment message = nearMemory.segment();
    long before = 0;
    long octets = Long.MAX_VALUE;
    for (int round = 0; round < 100 && octets != 0; round++) {
      before = threads.getCurrentThreadAllocatedBytes();
      exchange(handler, message, 3000);
      octets = threads.getCurrentThreadAllocatedBytes() - before;
    }
    assertThat(octets).isZero();
  }

  private void exchange(CompletionHandler handler, MemorySegment message, int count) {
    int posted = 0;
    int reported = 0;
    while (reported < count) {
      boolean took =
          posted < count
              && (posted % 2 == 0
                  ? nearEnd.postWrite(posted, nearMemory, 0, 64, farMemory.stag(), 0)
                  : nearEnd.postInlineWrite(
                      posted, message, 0, 64, farMemory.stag(), 64, SendFlags.SIGNALLED));
      posted += took ? 1 : 0;
      reported += near.poll(handler, 16);
    }
  }

  private static void assertSuccess(Completion completion) {
    if (completion.status() != CompletionStatus.SUCCESS) {
      throw new AssertionError(completion);
    }
  }

  @Test
  void shouldPassTheCongestionControl() {
    assertThat(ConnectionOptions.DEFAULTS.settings().congestion())
        .isEqualTo(CongestionChoice.AS_CONFIGURED);
    assertThat(
            ConnectionOptions.DEFAULTS
                .withCongestion(CongestionChoice.DCTCP)
                .withDscp(3)
                .settings()
                .congestion())
        .isEqualTo(CongestionChoice.DCTCP);
  }

  @Test
  void shouldRefuseCodepointsThatDoNotExist() {
    assertThat(ConnectionOptions.DEFAULTS.withDscp(63).settings().dscp()).isEqualTo(63);
    for (int wrong : new int[] {-2, 64}) {
      assertThatThrownBy(() -> ConnectionOptions.DEFAULTS.withDscp(wrong))
          .hasMessage("DSCP " + wrong + " is not 0 to 63, or -1 for the interface's");
    }
  }
}
