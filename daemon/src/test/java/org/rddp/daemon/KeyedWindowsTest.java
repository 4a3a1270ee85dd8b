package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.daemon.ConnectedPrograms.completions;

import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Connection;
import org.rddp.client.MemoryRegion;
import org.rddp.client.MemoryWindow;
import org.rddp.client.types.Access;
import org.rddp.client.types.ProtectionDomains;
import org.rddp.client.types.Reason;
import org.rddp.client.types.SendFlags;
import org.rddp.client.types.WindowKind;

/** Memory windows of Java programs whose STags' last octet each bind names. */
@Timeout(60)
class KeyedWindowsTest {
  private static final int WRITE = Access.bits(Access.REMOTE_WRITE);
  private static final long BASE = 1L << 40;

  private final ConnectedPrograms programs = new ConnectedPrograms();
  private final Connection out = programs.out;
  private final Connection in = programs.in;
  private final MemoryRegion source = programs.here.allocate(4096, Access.LOCAL_WRITE);
  private final MemoryRegion region =
      programs.there.allocate(8192, Access.LOCAL_WRITE, Access.MW_BIND);

  @AfterEach
  void close() {
    programs.close();
  }

  private MemoryWindow allocate(WindowKind kind) {
    MemoryWindow window = programs.there.allocateWindow(kind, ProtectionDomains.DEFAULT);
    assertThat(window.kind()).isEqualTo(kind);
    return window;
  }

  /** Binds to octets of the region's second page. */
  private String bind(MemoryWindow window, int key, long length, long baseTo) {
    return bind(in, window, key, length, baseTo);
  }

  private String bind(
      Connection connection, MemoryWindow window, int key, long length, long baseTo) {
    assertThat(
            connection
                .localOperations()
                .postKeyedBind(7, window, key, region, 4096, length, baseTo, WRITE, 0))
        .isTrue();
    return completions(programs.there, 1).getFirst();
  }

  private void write(Connection connection, int octet, int stag, long to) {
    source.segment().fill((byte) octet);
    assertThat(connection.postWrite(1, source, 0, 1, stag, to)).isTrue();
    assertThat(completions(programs.here, 1)).containsExactly("write 1 SUCCESS 1");
  }

  private byte at(long offset) {
    return region.segment().get(ValueLayout.JAVA_BYTE, offset);
  }

  private void shouldBeRefused(Connection connection, int stag, long to) {
    byte[] before = region.segment().toArray(ValueLayout.JAVA_BYTE);
    write(connection, 99, stag, to);
    assertThat(connection.awaitClosed(ConnectedPrograms.TIMEOUT)).isTrue();
    assertThat(connection.closeReason()).isEqualTo(Reason.TERMINATED);
    assertThat(region.segment().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(before);
  }

  @Test
  void shouldOpenUnderTheKeyThatEachBindNames() {
    MemoryWindow window = allocate(WindowKind.TYPE_2);
    assertThat(bind(window, 0x41, 100, BASE)).isEqualTo("bind 7 SUCCESS 0");
    int first = window.stag();
    assertThat(first & 0xff).isEqualTo(0x41);
    assertThat(window.baseTo()).isEqualTo(BASE);
    write(out, 5, first, BASE + 99);
    TestDaemon.await(() -> at(4195) == 5, "the last octet of the window is written");
    assertThat(in.localOperations().postInvalidate(2, first, SendFlags.SIGNALLED)).isTrue();
    assertThat(completions(programs.there, 1)).containsExactly("invalidate 2 SUCCESS 0");

    assertThat(bind(window, 0, 100, 0)).isEqualTo("bind 7 SUCCESS 0");
    assertThat(window.stag()).as("the other octets stay").isEqualTo(first & ~0xff);
    assertThat(window.baseTo()).isZero();
    write(out, 6, window.stag(), 0);
    TestDaemon.await(() -> at(4096) == 6, "the first octet of the window is written");
    shouldBeRefused(out, first, BASE);
  }

  @Test
  void shouldKeepItsStagWhenABindIsRefused() {
    MemoryWindow window = allocate(WindowKind.TYPE_2);
    bind(window, 1, 100, BASE);
    int stag = window.stag();
    assertThat(bind(window, 2, 100, 0)).isEqualTo("bind 7 MW_BIND_ERROR 0");
    assertThat(window.stag()).as("the window is still bound").isEqualTo(stag);
    assertThat(window.baseTo()).isEqualTo(BASE);
    write(out, 3, stag, BASE);
    TestDaemon.await(() -> at(4096) == 3, "the first octet of the window is written");
  }

  @Test
  void shouldOpenToThePeersOfAllConnectionsUntilTheNextBind() {
    try (SecondConnection second = new SecondConnection(programs);
        SecondConnection third = new SecondConnection(programs)) {
      MemoryWindow window = allocate(WindowKind.TYPE_1);
      bind(third.in(), window, 1, 100, BASE);
      int first = window.stag();
      write(out, 4, first, BASE);
      write(second.out(), 5, first, BASE + 1);
      TestDaemon.await(() -> at(4096) == 4 && at(4097) == 5, "both peers have written");

      assertThat(bind(third.in(), window, 2, 10, BASE))
          .as("while bound")
          .isEqualTo("bind 7 SUCCESS 0");
      write(second.out(), 6, window.stag(), BASE + 9);
      TestDaemon.await(() -> at(4105) == 6, "a peer has written under the next STag");
      shouldBeRefused(out, first, BASE);

      assertThat(bind(third.in(), window, 3, 0, 0)).as("no octets").isEqualTo("bind 7 SUCCESS 0");
      shouldBeRefused(second.out(), window.stag(), 0);
      shouldBeRefused(third.out(), first + 1, BASE);
    }
  }

  private void refuses(String words, MemoryWindow window, int key, long length, long baseTo) {
    assertThatThrownBy(() -> bind(window, key, length, baseTo))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(words);
  }

  @Test
  void shouldRefuseBindsThatDoNotFitTheWindow() {
    MemoryWindow keyed = allocate(WindowKind.TYPE_2);
    refuses("key 256", keyed, 256, 1, 0);
    refuses("key -1", keyed, -1, 1, 0);
    refuses("beyond 2^64", keyed, 1, 100, -100);
    refuses("a window of no octets", keyed, 1, 0, 0);
    assertThatThrownBy(() -> in.localOperations().postBind(1, keyed, region, 0, 1, WRITE, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("postKeyedBind");
    refuses("bind it with postBind", allocate(WindowKind.RENAMED), 1, 1, 0);
    assertThatThrownBy(keyed::stag).hasMessageContaining("no STag");
    assertThat(bind(keyed, 255, 99, -100)).as("just below 2^64").isEqualTo("bind 7 SUCCESS 0");
  }
}
