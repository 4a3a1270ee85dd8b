package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.daemon.ConnectedPrograms.TIMEOUT;
import static org.rddp.daemon.ConnectedPrograms.completions;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rddp.client.Connection;
import org.rddp.client.MemoryRegion;
import org.rddp.client.RefusedException;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;
import org.rddp.client.types.SendFlags;

/** Reports at both ends if the peer does not allow a request. */
class RefusedRequestsTest {
  private static final int UNKNOWN_STAG = 0x12_3456;

  private final ConnectedPrograms programs = new ConnectedPrograms();
  private final Connection out = programs.out;
  private final Connection in = programs.in;
  private final MemoryRegion near = programs.here.allocate(64, Access.LOCAL_WRITE);

  @AfterEach
  void close() {
    programs.close();
  }

  @Test
  void shouldReportTheRefusedRead() {
    MemoryRegion far = programs.there.allocate(64, Access.REMOTE_READ);
    assertThat(out.postRead(1, near, 0, 64, far.stag(), far.baseTo())).isTrue();
    assertThat(completions(programs.here, 1)).containsExactly("read 1 SUCCESS 64");
    assertThat(out.postRead(2, near, 0, 57, far.stag(), far.baseTo() + 8)).isTrue();
    assertThat(out.postRead(3, near, 0, 8, far.stag(), far.baseTo())).isTrue();
    assertThat(out.postReceive(4, near, 0, 64)).isTrue();
    assertThat(completions(programs.here, 3))
        .containsExactlyInAnyOrder(
            "read 2 REMOTE_ACCESS_ERROR 0", "read 3 FLUSHED 0", "receive 4 FLUSHED 0");
    assertEnd(out, Reason.TERMINATED, 0x0101);
    assertThat(out.closeText()).contains("base or bounds");
    assertEnd(in, Reason.RDMAP_ERROR, 0x0101);
  }

  @Test
  void shouldReportAnAtomicWithoutTheRight() {
    MemoryRegion far = programs.there.allocate(64, Access.REMOTE_READ);
    assertThat(
            out.atomics()
                .postFetchAdd(1, near, 0, far.stag(), far.baseTo(), 1, SendFlags.SIGNALLED))
        .isTrue();
    assertThat(completions(programs.here, 1))
        .containsExactly("fetch and add 1 REMOTE_ACCESS_ERROR 0");
    assertEnd(out, Reason.TERMINATED, 0x0102);
  }

  @Test
  void shouldReportAnUnalignedAtomic() {
    MemoryRegion far = programs.there.allocate(64, Access.LOCAL_WRITE, Access.REMOTE_ATOMIC);
    assertThat(
            out.atomics()
                .postFetchAdd(1, near, 0, far.stag(), far.baseTo() + 1, 1, SendFlags.SIGNALLED))
        .isTrue();
    assertThat(completions(programs.here, 1))
        .containsExactly("fetch and add 1 REMOTE_OPERATION_ERROR 0");
    assertEnd(out, Reason.TERMINATED, 0x0207);
    assertThat(out.closeText()).contains("an atomic whose address is not a multiple of eight");
  }

  /** A Write completes when it has been sent. */
  @Test
  void shouldReportARefusedWriteInTheCloseReasonOnly() {
    assertThat(out.postWrite(1, near, 0, 64, UNKNOWN_STAG, 0)).isTrue();
    assertThat(completions(programs.here, 1)).containsExactly("write 1 SUCCESS 64");
    assertEnd(out, Reason.TERMINATED, 0x1100);
    assertEnd(in, Reason.DDP_ERROR, 0x0100);
  }

  @Test
  void shouldReportTheReceiveThatIsTooShort() {
    MemoryRegion far = programs.there.allocate(64, Access.LOCAL_WRITE);
    assertThat(in.postReceive(1, far, 0, 63)).isTrue();
    assertThat(in.postReceive(2, far, 0, 64)).isTrue();
    assertThat(out.postSend(3, near, 0, 64)).isTrue();
    assertThat(completions(programs.there, 2))
        .containsExactly("receive 1 LOCAL_LENGTH_ERROR 0", "receive 2 FLUSHED 0");
    assertEnd(in, Reason.DDP_ERROR, 0x0205);
    assertEnd(out, Reason.TERMINATED, 0x1205);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          192.0.2.1  | is not in the interface's network, and there is no gateway
          224.0.0.1  | is not the address of one host
          """)
  void shouldReportAnUnreachableAddress(String address, String why) {
    InetSocketAddress remote = new InetSocketAddress(address, 7471);
    assertThatThrownBy(() -> programs.here.connect(remote, PrivateData.NONE, TIMEOUT))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNREACHABLE))
        .hasMessageContaining("cannot connect: " + address + " " + why);
  }

  private static void assertEnd(Connection connection, Reason reason, int detail) {
    assertThat(connection.awaitClosed(TIMEOUT)).isTrue();
    assertThat(connection.closeReason()).isEqualTo(reason);
    assertThat(connection.closeDetail()).isEqualTo(detail);
  }
}
