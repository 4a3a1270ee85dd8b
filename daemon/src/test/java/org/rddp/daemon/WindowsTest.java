package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.daemon.ConnectedPrograms.completions;

import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Connection;
import org.rddp.client.MemoryRegion;
import org.rddp.client.MemoryWindow;
import org.rddp.client.RefusedException;
import org.rddp.client.types.Access;
import org.rddp.client.types.Reason;
import org.rddp.client.types.SendFlags;

/** Memory windows and invalidations between two programs. */
@Timeout(60)
class WindowsTest {
  private static final int WRITE = Access.bits(Access.REMOTE_WRITE);
  private static final int SIGNALLED = SendFlags.SIGNALLED;

  private final ConnectedPrograms programs = new ConnectedPrograms();
  private final Connection out = programs.out;
  private final Connection in = programs.in;
  private final MemoryRegion source = programs.here.allocate(8192, Access.LOCAL_WRITE);
  private final MemoryRegion region =
      programs.there.allocate(8192, Access.LOCAL_WRITE, Access.MW_BIND);
  private final MemoryWindow window = programs.there.allocateWindow();

  @AfterEach
  void close() {
    programs.close();
  }

  private void bind(long id, int rights) {
    assertThat(in.localOperations().postBind(id, window, region, 4096, 100, rights, 0)).isTrue();
  }

  @Test
  @Tag("DDP-8.3-01")
  @Tag("DDP-8.3.1-02")
  @Tag("RDMAP-8.1.1-03")
  @Tag("RDMAP-8.1.1-04")
  void shouldBindBeforeLaterMessagesAreSent() {
    assertThat(out.postReceive(1, source, 0, 64)).isTrue();
    assertThat(out.postWrite(0, source, 0, 0, 0, 0, 0)).isTrue(); // lets the Responder send
    bind(2, WRITE);
    int stag = window.stag();
    region.segment().set(ValueLayout.JAVA_INT, 0, stag);
    assertThat(in.postSend(3, region, 0, 4)).isTrue();
    assertThat(completions(programs.here, 1)).containsExactly("receive 1 SUCCESS 4");
    assertThat(source.segment().get(ValueLayout.JAVA_INT, 0)).isEqualTo(stag);

    source.segment().fill((byte) 9);
    assertThat(out.postWrite(4, source, 0, 100, stag, window.baseTo())).isTrue();
    assertThat(out.postRead(5, source, 0, 0, stag, 0)).isTrue();
    assertThat(completions(programs.here, 2))
        .containsExactly("write 4 SUCCESS 100", "read 5 SUCCESS 0");
    assertThat(completions(programs.there, 2))
        .containsExactly("bind 2 SUCCESS 0", "send 3 SUCCESS 4");
    byte[] octets = region.segment().asSlice(4095, 102).toArray(ValueLayout.JAVA_BYTE);
    assertThat(octets[0]).isZero();
    assertThat(octets[1]).isEqualTo((byte) 9);
    assertThat(octets[100]).isEqualTo((byte) 9);
    assertThat(octets[101]).isZero();

    assertThat(out.postWrite(6, source, 0, 1, stag, 100)).isTrue();
    assertThat(out.awaitClosed(ConnectedPrograms.TIMEOUT)).isTrue();
    assertThat(out.closeReason()).isEqualTo(Reason.TERMINATED);
    assertThat(region.segment().get(ValueLayout.JAVA_BYTE, 4196)).isZero();
  }

  @Test
  @Tag("DDP-8.3-02")
  @Tag("DDP-8.3.1-04")
  @Tag("RDMAP-8.1.1-04")
  @Tag("RDMAP-8.1.1-06")
  void shouldPlaceNothingAfterAnInvalidation() {
    bind(1, WRITE);
    completions(programs.there, 1);
    for (int i = 0; i < 100; i++) {
      assertThat(out.postWrite(i, source, 0, 100, window.stag(), 0, 0)).isTrue();
    }
    assertThat(in.localOperations().postInvalidate(2, window.stag(), SIGNALLED)).isTrue();
    assertThat(completions(programs.there, 1)).containsExactly("invalidate 2 SUCCESS 0");
    region.segment().fill((byte) 5);
    source.segment().fill((byte) 6);
    assertThat(out.postWrite(200, source, 0, 100, window.stag(), 0)).isTrue();
    assertThat(out.awaitClosed(ConnectedPrograms.TIMEOUT)).isTrue();
    assertThat(out.closeReason()).isEqualTo(Reason.TERMINATED);
    assertThat(region.segment().toArray(ValueLayout.JAVA_BYTE)).containsOnly(5);
  }

  @Test
  void shouldChangeTheStagWithEachBind() {
    Set<Integer> stags = new HashSet<>();
    for (int i = 0; i < 50; i++) {
      bind(i, WRITE);
      assertThat(window.isReady()).isFalse();
      assertThat(in.localOperations().postBind(1, window, region, 0, 1, WRITE, 0))
          .as("before the completion")
          .isFalse();
      stags.add(window.stag());
      assertThat(in.localOperations().postInvalidate(i, window.stag(), SIGNALLED)).isTrue();
      assertThat(completions(programs.there, 2))
          .containsExactly("bind " + i + " SUCCESS 0", "invalidate " + i + " SUCCESS 0");
    }
    assertThat(stags).hasSize(50).doesNotContain(0, region.stag());
  }

  @Test
  void shouldNotBindABoundWindow() {
    bind(1, WRITE);
    int stag = window.stag();
    completions(programs.there, 1);
    bind(2, WRITE);
    assertThat(completions(programs.there, 1)).containsExactly("bind 2 MW_BIND_ERROR 0");
    assertThat(window.stag()).as("the window is still bound").isEqualTo(stag);
    assertThat(in.localOperations().postInvalidate(3, window.stag(), SIGNALLED)).isTrue();
    assertThat(completions(programs.there, 1)).containsExactly("invalidate 3 SUCCESS 0");
  }

  @Test
  void shouldHaveNoStagBeforeABind() {
    assertThatThrownBy(window::stag)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no STag");
    assertThat(window).asString().contains("no STag");
    in.abort();
    assertThat(in.awaitClosed(ConnectedPrograms.TIMEOUT)).isTrue();
    bind(1, WRITE);
    assertThat(completions(programs.there, 1)).containsExactly("bind 1 FLUSHED 0");
    assertThatThrownBy(window::stag).hasMessageContaining("no STag");
  }

  @Test
  @Tag("RDMAP-5.3-02")
  void shouldLetThePeerInvalidateTheWindowAndBindItAgain() {
    bind(1, WRITE);
    assertThat(in.postReceive(2, region, 0, 64)).isTrue();
    completions(programs.there, 1);
    assertThat(out.postSendInvalidate(3, source, 0, 5, window.stag(), SIGNALLED)).isTrue();
    int[] invalidated = new int[1];
    TestDaemon.await(
        () ->
            programs.there.poll(completion -> invalidated[0] = completion.invalidatedStag(), 1)
                == 1,
        "the message has come");
    assertThat(invalidated[0]).isEqualTo(window.stag());
    bind(4, WRITE);
    assertThat(completions(programs.there, 1)).containsExactly("bind 4 SUCCESS 0");
  }

  @Test
  @Tag("DDP-8.2-02")
  @Tag("RDMAP-8.1.1-02")
  void shouldOpenTheWindowToOneConnectionOnly() throws Exception {
    bind(1, WRITE);
    completions(programs.there, 1);
    try (SecondConnection second = new SecondConnection(programs)) {
      assertThat(second.out().postWrite(2, source, 0, 1, window.stag(), 0)).isTrue();
      assertThat(second.out().awaitClosed(ConnectedPrograms.TIMEOUT)).isTrue();
      assertThat(second.out().closeReason()).isEqualTo(Reason.TERMINATED);
    }
    assertThat(region.segment().get(ValueLayout.JAVA_BYTE, 4096)).isZero();
    assertThat(out.postWrite(3, source, 0, 1, window.stag(), 0)).isTrue();
    assertThat(completions(programs.here, 2)).contains("write 3 SUCCESS 1");
  }

  @Test
  void shouldUnbindAtTheEndOfItsConnection() {
    bind(1, WRITE);
    completions(programs.there, 1);
    assertRefused(region::close, Reason.STATE, "1 windows are bound");
    in.abort();
    assertThat(in.awaitClosed(ConnectedPrograms.TIMEOUT)).isTrue();
    region.close();
    window.close();
    window.close();
  }

  @Test
  void shouldUnbindWhenItsRegionIsInvalidated() {
    bind(1, WRITE);
    completions(programs.there, 1);
    assertThat(in.localOperations().postInvalidate(2, region.stag(), SIGNALLED)).isTrue();
    assertThat(completions(programs.there, 1)).containsExactly("invalidate 2 SUCCESS 0");
    assertThat(in.postSend(3, region, 0, 1)).isTrue();
    assertThat(completions(programs.there, 1)).containsExactly("send 3 LOCAL_PROTECTION_ERROR 0");
    assertThat(out.postWrite(4, source, 0, 1, window.stag(), 0)).isTrue();
    assertThat(out.awaitClosed(ConnectedPrograms.TIMEOUT)).isTrue();
    assertThat(out.closeReason()).isEqualTo(Reason.TERMINATED);
    region.close();
  }

  @Test
  void shouldRejectInvalidRequests() {
    MemoryRegion closed = programs.there.allocate(64, Access.LOCAL_WRITE);
    MemoryRegion readOnly = programs.there.allocate(64, Access.MW_BIND);
    assertThatThrownBy(() -> in.localOperations().postBind(1, window, closed, 0, 1, WRITE, 0))
        .hasMessageContaining("MW_BIND");
    assertThatThrownBy(() -> in.localOperations().postBind(1, window, readOnly, 0, 1, WRITE, 0))
        .hasMessageContaining("LOCAL_WRITE");
    assertThatThrownBy(() -> in.localOperations().postBind(1, window, region, 0, 0, WRITE, 0))
        .hasMessageContaining("no octets");
    assertThatThrownBy(() -> in.localOperations().postBind(1, window, region, 8190, 3, WRITE, 0))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() ->
            in.localOperations()
                .postBind(1, window, region, 0, 1, Access.bits(Access.LOCAL_WRITE), 0))
        .hasMessageContaining("to the peer alone");
    assertThatThrownBy(() -> in.localOperations().postBind(1, window, region, 0, 1, 0, 0))
        .hasMessageContaining("without rights");
    assertThatThrownBy(() -> out.localOperations().postBind(1, window, region, 0, 1, WRITE, 0))
        .hasMessageContaining("another session");
    assertThat(in.localOperations().postInvalidate(2, 12345, SIGNALLED)).isTrue();
    assertThat(completions(programs.there, 1))
        .containsExactly("invalidate 2 LOCAL_PROTECTION_ERROR 0");
    window.close();
    assertThatThrownBy(() -> bind(3, WRITE)).hasMessageContaining("closed");
  }

  @Test
  void shouldCountWindowsAsRegions() {
    int most = programs.there.limits().regions();
    for (int i = 2; i < most; i++) {
      assertThat(programs.there.allocateWindow()).isNotNull();
    }
    assertRefused(programs.there::allocateWindow, Reason.LIMIT, "regions");
    assertRefused(() -> programs.there.allocate(64), Reason.LIMIT, "regions");
    window.close();
    programs.there.allocateWindow().close();
    programs.there.allocate(64).close();
  }

  private static void assertRefused(ThrowingCallable call, Reason reason, String text) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.reason()).isEqualTo(reason))
        .hasMessageContaining(text);
  }
}
