package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.daemon.ConnectedPrograms.completions;

import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.SharedReceiveQueue;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;
import org.rddp.client.types.SendFlags;

/** Programs that close a region while posted requests name it. */
@Timeout(60)
class RevokedMemoryTest {
  private static final int OCTETS = 8192;

  private final ConnectedPrograms programs = new ConnectedPrograms();
  private final Connection out = programs.out;
  private final Connection in = programs.in;
  private final MemoryRegion source = programs.here.allocate(OCTETS, Access.LOCAL_WRITE);

  RevokedMemoryTest() {
    source.segment().fill((byte) 7);
  }

  @AfterEach
  void close() {
    programs.close();
  }

  private MemoryRegion sink() {
    return programs.there.allocate(
        OCTETS, Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_ATOMIC);
  }

  /** The accepting side sends nothing before the other's first message. */
  private void letTheAcceptingSideSend() {
    assertThat(out.postWrite(0, source, 0, 0, 0, 0, 0)).isTrue();
  }

  private void shouldHaveEnded(Connection ended, Reason reason, int detail) {
    assertThat(ended.awaitClosed(ConnectedPrograms.TIMEOUT)).isTrue();
    assertThat(ended.closeReason()).isEqualTo(reason);
    assertThat(ended.closeDetail()).isEqualTo(detail);
  }

  @Test
  void shouldPlaceNothingInMemoryThatWasFreed() {
    MemoryRegion sink = sink();
    assertThat(in.postReceive(1, sink, 0, 64)).isTrue();
    assertThat(in.postReceive(2, sink, 64, 64)).isTrue();
    sink.close();
    MemoryRegion next = sink(); // has its place

    assertThat(out.postSend(3, source, 0, 64)).isTrue();
    assertThat(completions(programs.there, 2))
        .containsExactly("receive 1 LOCAL_PROTECTION_ERROR 0", "receive 2 FLUSHED 0");
    shouldHaveEnded(in, Reason.DDP_ERROR, 0);
    shouldHaveEnded(out, Reason.TERMINATED, 0x1000);
    assertThat(next.segment().toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
  }

  @Test
  void shouldStillReceiveWithoutOctetsThere() {
    MemoryRegion sink = sink();
    assertThat(in.postReceive(1, sink, 0, 64)).isTrue();
    sink.close();
    assertThat(out.postSend(2, source, 0, 0)).isTrue();
    assertThat(completions(programs.there, 1)).containsExactly("receive 1 SUCCESS 0");
  }

  @Test
  void shouldKeepReceivesThatNameAnotherRegionOnTheMemory() {
    MemoryRegion sink = sink();
    MemoryRegion part = sink.register(0, OCTETS, Access.LOCAL_WRITE);
    assertThat(in.postReceive(1, sink, 0, 64)).isTrue();
    part.close();
    assertThat(out.postSend(2, source, 0, 64)).isTrue();
    assertThat(completions(programs.there, 1)).containsExactly("receive 1 SUCCESS 64");
  }

  @Test
  void shouldNotSendFromMemoryThatWasFreed() {
    MemoryRegion sink = sink();
    assertThat(in.postSend(1, sink, 0, 64)).isTrue();
    assertThat(in.postWrite(2, sink, 0, 64, source.stag(), source.baseTo())).isTrue();
    sink.close();
    letTheAcceptingSideSend();
    assertThat(completions(programs.there, 2))
        .containsExactly("send 1 LOCAL_PROTECTION_ERROR 0", "write 2 FLUSHED 0");
    shouldHaveEnded(in, Reason.RDMAP_ERROR, 0);
  }

  @Test
  void shouldNotStoreWhatAnAtomicFindsInMemoryThatWasFreed() {
    MemoryRegion there = programs.here.allocate(8, Access.LOCAL_WRITE, Access.REMOTE_ATOMIC);
    MemoryRegion sink = sink();
    boolean posted =
        in.atomics().postFetchAdd(1, sink, 0, there.stag(), there.baseTo(), 5, SendFlags.SIGNALLED);
    assertThat(posted).isTrue();
    sink.close();
    MemoryRegion next = sink();
    letTheAcceptingSideSend();
    assertThat(completions(programs.there, 1))
        .containsExactly("fetch and add 1 LOCAL_PROTECTION_ERROR 0");
    assertThat(next.segment().get(ValueLayout.JAVA_LONG, 0)).isZero();
  }

  @Test
  void shouldRefuseTheAnswerOfAReadIntoMemoryThatWasFreed() {
    MemoryRegion readable = programs.here.allocate(64, Access.REMOTE_READ);
    MemoryRegion sink = sink();
    assertThat(in.postRead(1, sink, 0, 64, readable.stag(), readable.baseTo())).isTrue();
    sink.close();
    letTheAcceptingSideSend();
    assertThat(completions(programs.there, 1)).containsExactly("read 1 LOCAL_PROTECTION_ERROR 0");
    shouldHaveEnded(in, Reason.DDP_ERROR, 0x100);
  }

  @Test
  void shouldRevokeSharedReceives() {
    SharedReceiveQueue queue = programs.there.createSharedReceiveQueue(4);
    ConnectionOptions shared = ConnectionOptions.DEFAULTS.withReceiveQueue(queue);
    Listener listener =
        programs.there.listen(new InetSocketAddress(TestDaemon.ADDRESS_TWO, 7472), 1, shared);
    CompletableFuture<Connection> accepted =
        CompletableFuture.supplyAsync(() -> listener.await(ConnectedPrograms.TIMEOUT).accept());
    Connection second =
        programs.here.connect(
            new InetSocketAddress(TestDaemon.ADDRESS_TWO, 7472),
            PrivateData.NONE,
            ConnectedPrograms.TIMEOUT);
    MemoryRegion sink = sink();
    assertThat(queue.postReceive(1, sink, 0, 64)).isTrue();
    sink.close();
    assertThat(second.postSend(2, source, 0, 64)).isTrue();
    assertThat(completions(programs.there, 1))
        .containsExactly("receive 1 LOCAL_PROTECTION_ERROR 0");
    shouldHaveEnded(accepted.join(), Reason.DDP_ERROR, 0);
  }

  @Test
  void shouldEndPlainDdpStreamsThatNeedMemoryThatWasFreed() {
    ConnectionOptions plain = ConnectionOptions.plainDdp(4);
    Listener listener =
        programs.there.listen(new InetSocketAddress(TestDaemon.ADDRESS_TWO, 7473), 1, plain);
    CompletableFuture<Connection> accepted =
        CompletableFuture.supplyAsync(() -> listener.await(ConnectedPrograms.TIMEOUT).accept());
    Connection second =
        programs.here.connect(
            new InetSocketAddress(TestDaemon.ADDRESS_TWO, 7473),
            PrivateData.NONE,
            ConnectedPrograms.TIMEOUT,
            plain);
    Connection other = accepted.join();
    MemoryRegion sink = sink();
    assertThat(other.ddp().postReceive(0, 1, sink, 0, 64)).isTrue();
    assertThat(other.ddp().postUntagged(0, 2, sink, 0, 64, 0, SendFlags.SIGNALLED)).isTrue();
    sink.close();
    assertThat(second.ddp().postUntagged(0, 3, source, 0, 0, 0, SendFlags.SIGNALLED)).isTrue();
    assertThat(completions(programs.there, 2))
        .containsExactlyInAnyOrder(
            "untagged receive 1 SUCCESS 0", "untagged send 2 LOCAL_PROTECTION_ERROR 0");
    TestDaemon.await(() -> other.streamError() != null, "the stream has failed");
  }
}
