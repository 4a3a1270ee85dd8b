package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.daemon.ConnectedPrograms.completions;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Connection;
import org.rddp.client.MemoryRegion;
import org.rddp.client.MemoryWindow;
import org.rddp.client.Rddp;
import org.rddp.client.ScatterList;
import org.rddp.client.types.Access;
import org.rddp.client.types.Reason;
import org.rddp.client.types.RequestForm;
import org.rddp.client.types.SendFlags;

/** A region with offsets of more than 32 bits. All tests use one: its pages are all allocated. */
@Timeout(60)
class LargeRegionsTest {
  private static final long GIB = 1L << 30;
  private static final long FAR = 4 * GIB + 4096;
  private static final long OCTETS = 4 * GIB + (16 << 20);

  private static ConnectedPrograms programs;
  private static MemoryRegion large;

  private final MemoryRegion small = programs.here.allocate(4096, Access.LOCAL_WRITE);
  private final SecondConnection connection = new SecondConnection(programs);
  private final Connection out = connection.out();
  private final Connection in = connection.in();

  @BeforeAll
  static void allocate() {
    programs = new ConnectedPrograms();
    large =
        programs.there.allocate(
            OCTETS,
            Access.LOCAL_WRITE,
            Access.REMOTE_WRITE,
            Access.REMOTE_READ,
            Access.REMOTE_ATOMIC,
            Access.MW_BIND);
  }

  @AfterAll
  static void end() {
    programs.close();
  }

  @AfterEach
  void close() {
    connection.close();
    readAll(programs.here, out);
    readAll(programs.there, in);
  }

  /** Reads the completions of a connection that ends, so that the next test has its own only. */
  private static void readAll(Rddp session, Connection ending) {
    assertThat(ending.awaitClosed(ConnectedPrograms.TIMEOUT)).isTrue();
    int count;
    do {
      count = session.poll(completion -> {}, 64);
    } while (count > 0);
  }

  private byte at(MemoryRegion region, long offset) {
    return region.segment().get(ValueLayout.JAVA_BYTE, offset);
  }

  /** Checks that nothing was placed at an offset truncated to 32 bits. */
  private void assertNearIsUntouched() {
    MemorySegment near = large.segment().asSlice(0, 8192);
    assertThat(near.toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
  }

  @Test
  @Tag("DDP-8.3.1-01")
  void shouldRunWritesReadsAndAtomicsBeyondFourGib() {
    small.segment().fill((byte) 7);
    assertThat(out.postWrite(1, small, 0, 100, large.stag(), large.baseTo() + FAR)).isTrue();
    assertThat(out.postRead(2, small, 200, 100, large.stag(), large.baseTo() + FAR + 50)).isTrue();
    long number = large.baseTo() + FAR + 2048;
    assertThat(
            out.atomics()
                .postFetchAdd(3, small, 1024, large.stag(), number, 5, SendFlags.SIGNALLED))
        .isTrue();
    assertThat(out.postWrite(4, small, 0, 1, large.stag(), large.baseTo() + OCTETS - 1)).isTrue();
    assertThat(completions(programs.here, 4))
        .containsExactly(
            "write 1 SUCCESS 100",
            "read 2 SUCCESS 100",
            "fetch and add 3 SUCCESS 8",
            "write 4 SUCCESS 1");
    assertThat(at(large, FAR)).isEqualTo((byte) 7);
    assertThat(at(large, FAR + 99)).isEqualTo((byte) 7);
    assertThat(at(large, FAR + 100)).isZero();
    assertThat(at(small, 249)).as("read").isEqualTo((byte) 7);
    assertThat(at(small, 250)).as("read").isZero();
    assertThat(large.segment().get(ValueLayout.JAVA_LONG, FAR + 2048)).isEqualTo(5);
    TestDaemon.await(() -> at(large, OCTETS - 1) == 7, "the last octet is written");
    assertNearIsUntouched();

    assertThat(out.postWrite(5, small, 0, 2, large.stag(), large.baseTo() + OCTETS - 1)).isTrue();
    assertThat(out.awaitClosed(ConnectedPrograms.TIMEOUT)).isTrue();
    assertThat(out.closeReason()).isEqualTo(Reason.TERMINATED);
  }

  @Test
  void shouldSendAndReceiveBeyondFourGib() {
    small.segment().fill((byte) 3);
    assertThat(in.postReceive(1, large, FAR, 64)).isTrue();
    assertThat(
            in.postReceive(
                2, new ScatterList().add(large, FAR + 4096, 2).add(large, FAR + 8192, 64)))
        .isTrue();
    assertThat(out.postSend(3, small, 0, 64)).isTrue();
    assertThat(out.postSend(4, small, 0, 5)).isTrue();
    assertThat(completions(programs.there, 2))
        .containsExactly("receive 1 SUCCESS 64", "receive 2 SUCCESS 5");
    assertThat(at(large, FAR + 63)).isEqualTo((byte) 3);
    assertThat(at(large, FAR + 4097)).isEqualTo((byte) 3);
    assertThat(at(large, FAR + 4098)).isZero();
    assertThat(at(large, FAR + 8194)).isEqualTo((byte) 3);
    assertNearIsUntouched();

    small.segment().fill((byte) 0);
    assertThat(out.postReceive(5, small, 0, 64)).isTrue();
    assertThat(in.postSend(6, large, FAR, 64)).isTrue();
    assertThat(completions(programs.here, 3)).contains("receive 5 SUCCESS 64");
    assertThat(at(small, 63)).isEqualTo((byte) 3);
  }

  @Test
  @Tag("DDP-8.3.1-01")
  void shouldOpenAWindowOfMoreThanFourGib() {
    MemoryWindow window = programs.there.allocateWindow();
    long from = 8 << 20;
    long length = 4 * GIB + 16;
    int rights = Access.bits(Access.REMOTE_WRITE);
    assertThat(in.localOperations().postBind(1, window, large, from, length, rights, 0)).isTrue();
    assertThat(completions(programs.there, 1)).isEqualTo(List.of("bind 1 SUCCESS 0"));
    small.segment().fill((byte) 9);
    assertThat(out.postWrite(2, small, 0, 1, window.stag(), window.baseTo() + length - 1)).isTrue();
    completions(programs.here, 1);
    TestDaemon.await(() -> at(large, from + length - 1) == 9, "the last octet is written");
    assertThat(at(large, from + 15)).isZero();
    assertThat(out.postWrite(3, small, 0, 1, window.stag(), window.baseTo() + length)).isTrue();
    assertThat(out.awaitClosed(ConnectedPrograms.TIMEOUT)).isTrue();
    assertThat(at(large, from + length)).isZero();
  }

  @Test
  void shouldRejectMessagesLongerThan32BitsOfLength() {
    long most = RequestForm.MAX_LENGTH;
    String words = "a message of 4294967296 octets, at most 4294967295";
    assertThatThrownBy(() -> in.postSend(1, large, 0, most + 1)).hasMessage(words);
    assertThatThrownBy(() -> in.postWrite(1, large, 0, most + 1, 1, 0)).hasMessage(words);
    assertThatThrownBy(() -> in.postRead(1, large, 0, most + 1, 1, 0)).hasMessage(words);
    assertThatThrownBy(() -> in.postReceive(1, large, 0, most + 1)).hasMessage(words);
    ScatterList list = new ScatterList().add(large, 0, most - 1).add(large, 7, 1);
    assertThatThrownBy(() -> list.add(large, 0, 1))
        .hasMessage(
            "a piece of 1 octets behind 4294967295 makes a message of more than 4294967295");
    assertThat(list.length()).isEqualTo(most);
  }

  @Test
  void shouldSolicitAnEventWithAnInlineMessage() {
    MemorySegment message = MemorySegment.ofArray(new byte[] {1, 2, 3});
    MemoryRegion received = programs.there.allocate(64, Access.LOCAL_WRITE);
    assertThat(in.postReceive(1, received, 0, 64)).isTrue();
    int flags = SendFlags.SIGNALLED | SendFlags.SOLICITED;
    assertThat(out.postInlineSend(2, message, 0, 3, flags)).isTrue();
    boolean[] solicited = new boolean[1];
    TestDaemon.await(
        () -> programs.there.poll(completion -> solicited[0] = completion.isSolicited(), 1) == 1,
        "the message has come");
    assertThat(solicited[0]).isTrue();
    assertThat(at(received, 2)).isEqualTo((byte) 3);
  }
}
