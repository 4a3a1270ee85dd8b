package org.rddp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.rdmap.RdmapFixture.readRequest;

import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rddp.ddp.GuardedMemory;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.DdpMemoryWindow;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.memory.TaggedBuffer;
import org.rddp.ddp.memory.TaggedBuffers;

/** Binding windows and invalidating local STags, in order with messages. */
class RdmapLocalOperationsTest {
  private static final int REGION = AccessRights.LOCAL_WRITE | AccessRights.MW_BIND;

  private final RdmapFixture rdmap = new RdmapFixture();
  private final RdmapStream stream = rdmap.stream;
  private final RdmapLocalOperations local = stream.localOperations();
  private final TaggedBuffers buffers = rdmap.engine.taggedBuffers();
  private final long address = rdmap.memory.address();

  private static String write(int control, int stag, long to, String payload) {
    return "%02x40 %08x %016x".formatted(control, stag, to) + payload;
  }

  private TaggedBuffer region(int rights) {
    return buffers.lookup(rdmap.register(rights));
  }

  private boolean bind(int flags, DdpMemoryWindow window, TaggedBuffer region) {
    return local.postBind(
        new StreamRequest(1)
            .flags(flags)
            .bind(window, region, AccessRights.REMOTE_WRITE)
            .local(0, 100, 50));
  }

  // ---- Invalidating ----

  @Test
  @Tag("DDP-8.3-02")
  @Tag("DDP-8.3.1-04")
  void shouldPlaceNothingOnceTheInvalidationHasCompleted() {
    int stag = rdmap.register(AccessRights.REMOTE_WRITE);
    assertThat(rdmap.receive(write(0x81, stag, 0, "0102"))).isEmpty();
    assertThat(local.postInvalidate(new StreamRequest(7).local(stag, 0, 0))).isTrue();
    rdmap.run();
    assertThat(rdmap.user.events()).containsExactly("invalidate 7 done 0");
    assertThat(rdmap.sent()).as("nothing is sent for it").isEmpty();

    assertThat(rdmap.receive(write(0xc1, stag, 2, "0304"))).contains("error 1/1/0");
    byte[] model = new byte[rdmap.memory.length()];
    Arrays.fill(model, GuardedMemory.POISON);
    model[0] = 1;
    model[1] = 2;
    rdmap.memory.assertHolds(model);
  }

  @Test
  void shouldRunAfterRequestsPostedBefore() {
    int stag = rdmap.register(AccessRights.REMOTE_WRITE);
    rdmap.tcp.setWindow(0);
    stream.postSend(new StreamRequest(1).memory(address, 1));
    local.postInvalidate(new StreamRequest(2).local(stag, 0, 0));
    rdmap.run();
    assertThat(rdmap.user.events()).isEmpty();
    assertThat(buffers.lookup(stag)).isNotNull();
    rdmap.tcp.setWindow(10);
    rdmap.run();
    assertThat(rdmap.user.events()).containsExactly("send 1 done 1", "invalidate 2 done 0");
    assertThat(buffers.lookup(stag)).isNull();
  }

  @Test
  void shouldNeedNoRoomInTheWindow() {
    int stag = rdmap.register(AccessRights.REMOTE_WRITE);
    rdmap.tcp.setWindow(0);
    local.postInvalidate(new StreamRequest(1).local(stag, 0, 0));
    stream.postSend(new StreamRequest(2).memory(address, 1));
    local.postInvalidate(new StreamRequest(3).local(stag, 0, 0));
    rdmap.run();
    assertThat(rdmap.user.events()).containsExactly("invalidate 1 done 0");
    assertThat(buffers.lookup(stag)).isNull();
  }

  @Test
  void shouldWaitForReadsWhereItIsFenced() {
    int sink = rdmap.register(AccessRights.LOCAL_WRITE);
    stream.postRead(new StreamRequest(1).local(sink, 0, 2).remote(7, 0));
    local.postInvalidate(new StreamRequest(2).flags(RdmapFlags.FENCED).local(sink, 0, 0));
    stream.postSend(new StreamRequest(3).memory(address, 1));
    rdmap.run();
    assertThat(rdmap.sent()).as("the read alone").hasSize(1);
    assertThat(rdmap.receive("c142 %08x %016x 0102".formatted(sink, 0)))
        .containsExactly("read 1 done 2", "invalidate 2 done 0", "send 3 done 1");
    assertThat(buffers.lookup(sink)).isNull();
  }

  @Test
  @Tag("RDMAP-5.2-04")
  void shouldRefuseTheAnswerOfAReadWhoseSinkWasInvalidated() {
    int sink = rdmap.register(AccessRights.LOCAL_WRITE);
    stream.postRead(new StreamRequest(1).local(sink, 0, 2).remote(7, 0));
    local.postInvalidate(new StreamRequest(2).local(sink, 0, 0));
    rdmap.run();
    assertThat(rdmap.user.events()).as("in the order of the posts").isEmpty();
    assertThat(buffers.lookup(sink)).isNull();
    assertThat(rdmap.receive("c142 %08x %016x 0102".formatted(sink, 0)))
        .containsExactly("read 1 protection error 0", "invalidate 2 done 0", "error 1/1/0");
    rdmap.memory.assertUntouched();
  }

  @Test
  @Tag("RDMAP-5.2-05")
  void shouldStopAnAnswerWhoseSourceIsInvalidated() {
    int source = rdmap.readable();
    rdmap.tcp.setWindow(1);
    rdmap.peer.send(readRequest(1, 5, 0, 8000, source, 0));
    rdmap.run();
    rdmap.user.events();
    rdmap.tcp.setWindow(0);
    rdmap.peer.send(readRequest(2, 5, 0, 8000, source, 0));
    rdmap.run();
    local.postInvalidate(new StreamRequest(1).local(source, 0, 0));
    rdmap.run();
    assertThat(rdmap.user.events()).containsExactly("invalidate 1 done 0");
    rdmap.tcp.setWindow(10);
    rdmap.run();
    assertThat(rdmap.user.events()).contains("error 0/1/0");
  }

  @Test
  @Tag("DDP-8.2-01")
  @Tag("DDP-8.2-02")
  void shouldInvalidateOnlyWhatItsPeerMightUse() {
    int foreign = rdmap.register(new ProtectionDomain("q"), AccessRights.REMOTE_WRITE);
    local.postInvalidate(new StreamRequest(1).local(foreign, 0, 0));
    local.postInvalidate(new StreamRequest(2).local(foreign + 1, 0, 0));
    DdpMemoryWindow unbound = buffers.allocateWindow(rdmap.domain);
    local.postInvalidate(new StreamRequest(3).local(unbound.nextStag(), 0, 0));
    rdmap.run();
    assertThat(rdmap.user.events())
        .containsExactly(
            "invalidate 1 protection error 0",
            "invalidate 2 protection error 0",
            "invalidate 3 protection error 0");
    assertThat(buffers.lookup(foreign)).isNotNull();
  }

  // ---- Binding ----

  @Test
  @Tag("DDP-8.3-01")
  @Tag("DDP-8.2-02")
  void shouldBindBeforeTheMessageBehindItLeaves() {
    DdpMemoryWindow window = buffers.allocateWindow(rdmap.domain);
    int stag = window.nextStag();
    rdmap.tcp.setWindow(0);
    stream.postWrite(new StreamRequest(9).memory(address, 4).remote(7, 0));
    assertThat(bind(0, window, region(REGION))).isTrue();
    stream.postSend(new StreamRequest(2).memory(address, 4));
    rdmap.run();
    assertThat(window.isBound()).isFalse();
    rdmap.tcp.setWindow(10);
    rdmap.run();
    assertThat(rdmap.user.events())
        .containsExactly("write 9 done 4", "bind 1 done 0", "send 2 done 4");
    assertThat(rdmap.receive(write(0xc1, stag, 49, "07"))).isEmpty();
    assertThat(rdmap.memory.octets()[149]).isEqualTo((byte) 7);
    assertThat(rdmap.receive(write(0xc1, stag, 50, "07"))).contains("error 1/1/1");
  }

  @Test
  @Tag("DDP-8.3.1-03")
  void shouldRefuseToBindWhatTheRegionDoesNotAllow() {
    DdpMemoryWindow window = buffers.allocateWindow(rdmap.domain);
    bind(0, window, region(AccessRights.MW_BIND));
    bind(0, window, region(AccessRights.LOCAL_WRITE));
    TaggedBuffer gone = region(REGION);
    bind(0, window, gone);
    buffers.invalidate(gone);
    rdmap.run();
    assertThat(rdmap.user.events())
        .containsExactly("bind 1 bind error 0", "bind 1 bind error 0", "bind 1 bind error 0");
    assertThat(window.isBound()).isFalse();
  }

  @Test
  void shouldBindAnewOnceItIsInvalidated() {
    DdpMemoryWindow window = buffers.allocateWindow(rdmap.domain);
    TaggedBuffer region = region(REGION);
    int first = window.nextStag();
    bind(0, window, region);
    bind(0, window, region);
    local.postInvalidate(new StreamRequest(2).local(first, 0, 0));
    bind(0, window, region);
    rdmap.run();
    assertThat(rdmap.user.events())
        .containsExactly(
            "bind 1 done 0", "bind 1 bind error 0", "invalidate 2 done 0", "bind 1 done 0");
    assertThat(buffers.lookup(first)).isNull();
    assertThat(window.isBound()).isTrue();
  }

  /** A window uses its objects again; an answer that waits must not see the third as the first. */
  @Test
  @Tag("RDMAP-5.2-05")
  void shouldNotAnswerFromAWindowThatHasBeenBoundAnew() {
    DdpMemoryWindow window = buffers.allocateWindow(rdmap.domain);
    TaggedBuffer region = region(REGION);
    int first = window.nextStag();
    local.postBind(
        new StreamRequest(1).bind(window, region, AccessRights.REMOTE_READ).local(0, 0, 100));
    rdmap.run();
    rdmap.tcp.setWindow(0);
    rdmap.peer.send(readRequest(1, 5, 0, 100, first, 0));
    rdmap.run();
    for (int stag = first, i = 0; i < 2; i++) {
      local.postInvalidate(new StreamRequest(2).local(stag, 0, 0));
      stag = window.nextStag();
      local.postBind(
          new StreamRequest(1).bind(window, region, AccessRights.REMOTE_READ).local(0, 0, 100));
      rdmap.run();
    }
    assertThat(rdmap.user.events()).hasSize(5).allMatch(event -> event.endsWith("done 0"));
    rdmap.tcp.setWindow(10);
    rdmap.run();
    assertThat(rdmap.user.events()).contains("error 0/1/0");
    assertThat(rdmap.sent()).noneMatch(segment -> segment.startsWith("c142"));
  }

  @Test
  @Tag("RDMAP-5.3-02")
  void shouldLetThePeerInvalidateAWindow() {
    DdpMemoryWindow window = buffers.allocateWindow(rdmap.domain);
    int stag = window.nextStag();
    int rights = AccessRights.REMOTE_WRITE;
    local.postBind(new StreamRequest(1).bind(window, region(REGION), rights).local(0, 0, 8));
    stream.postReceive(new StreamRequest(2).memory(address, 64));
    rdmap.run();
    assertThat(rdmap.receive("4144 %08x 00000000 00000001 00000000".formatted(stag)))
        .containsExactly("bind 1 done 0", "receive 2 done 0 invalidated %08x".formatted(stag));
    assertThat(window.isBound()).isFalse();
  }

  // ---- Ends ----

  @Test
  void shouldFlushOperationsThatHaveNotRun() {
    DdpMemoryWindow window = buffers.allocateWindow(rdmap.domain);
    int stag = rdmap.readable();
    rdmap.tcp.setWindow(0);
    stream.postSend(new StreamRequest(1).memory(address, 1));
    local.postInvalidate(new StreamRequest(2).local(stag, 0, 0));
    bind(0, window, region(REGION));
    rdmap.run();
    stream.abort();
    assertThat(rdmap.user.events())
        .containsExactly(
            "send 1 flushed 0", "invalidate 2 flushed 0", "bind 1 flushed 0", "closed ABORTED");
    assertThat(buffers.lookup(stag)).isNotNull();
    assertThat(window.isBound()).isFalse();
    local.postInvalidate(new StreamRequest(3).local(stag, 0, 0));
    bind(0, window, region(REGION));
    assertThat(rdmap.user.events()).containsExactly("invalidate 3 flushed 0", "bind 1 flushed 0");
  }

  @Test
  void shouldTakeAPlaceInTheQueue() {
    rdmap.tcp.setWindow(0);
    stream.postSend(new StreamRequest(0).memory(address, 1));
    for (int i = 1; i < RdmapFixture.SEND_DEPTH; i++) {
      assertThat(local.postInvalidate(new StreamRequest(i).local(5, 0, 0))).isTrue();
    }
    assertThat(local.postInvalidate(new StreamRequest(9).local(5, 0, 0))).isFalse();
    assertThat(bind(0, buffers.allocateWindow(rdmap.domain), region(REGION))).isFalse();
    rdmap.tcp.setWindow(10);
    rdmap.run();
    assertThat(rdmap.user.events()).hasSize(RdmapFixture.SEND_DEPTH);
  }

  @Test
  void shouldCloseWhenTheLastOperationHasRun() {
    int stag = rdmap.readable();
    local.postInvalidate(new StreamRequest(1).local(stag, 0, 0));
    stream.close();
    rdmap.run();
    assertThat(rdmap.user.events()).contains("invalidate 1 done 0");
    assertThat(rdmap.peer.events()).contains("peer closed");
  }
}
