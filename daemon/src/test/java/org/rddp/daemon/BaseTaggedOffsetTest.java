package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.daemon.ConnectedPrograms.completions;

import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.client.Connection;
import org.rddp.client.MemoryRegion;
import org.rddp.client.MemoryWindow;
import org.rddp.client.RefusedException;
import org.rddp.client.RegionOptions;
import org.rddp.client.types.Access;
import org.rddp.client.types.Reason;
import org.rddp.client.types.SendFlags;

/** Regions whose Tagged Offsets begin at a number that the program chooses. */
@Timeout(60)
class BaseTaggedOffsetTest {
  private static final int OCTETS = 8192;
  private static final RegionOptions ALL =
      RegionOptions.of(
          Access.LOCAL_WRITE,
          Access.REMOTE_READ,
          Access.REMOTE_WRITE,
          Access.REMOTE_ATOMIC,
          Access.MW_BIND);

  private final ConnectedPrograms programs = new ConnectedPrograms();
  private final Connection out = programs.out;

  @AfterEach
  void close() {
    programs.close();
  }

  /** A user's address, one across 2^63, and the last that is possible. */
  @ParameterizedTest
  @ValueSource(longs = {0x7f12_3456_7000L, Long.MAX_VALUE - 4000, -1L - OCTETS})
  void shouldNameOctetsToPeersByTheBase(long base) {
    MemoryRegion here = programs.here.allocate(OCTETS, ALL.withBaseTo(base));
    MemoryRegion there = programs.there.allocate(OCTETS, ALL.withBaseTo(base));
    assertThat(there.baseTo()).isEqualTo(base);
    here.segment().fill((byte) 7);
    here.segment().set(ValueLayout.JAVA_LONG, OCTETS - 8, 0);
    there.segment().set(ValueLayout.JAVA_LONG, 4096, 40);

    // What is named to this end's own daemon are offsets in the region.
    assertThat(out.postWrite(1, here, 0, 4096, there.stag(), base)).isTrue();
    assertThat(out.postRead(2, here, 4096, 4088, there.stag(), base)).isTrue();
    assertThat(
            out.atomics()
                .postFetchAdd(
                    3, here, OCTETS - 8, there.stag(), base + 4096, 2, SendFlags.SIGNALLED))
        .isTrue();
    assertThat(completions(programs.here, 3))
        .containsExactly(
            "write 1 SUCCESS 4096", "read 2 SUCCESS 4088", "fetch and add 3 SUCCESS 8");
    assertThat(there.segment().asSlice(0, 4096).mismatch(here.segment().asSlice(0, 4096)))
        .isEqualTo(-1);
    assertThat(here.segment().asSlice(4096, 4088).mismatch(here.segment().asSlice(0, 4088)))
        .isEqualTo(-1);
    assertThat(here.segment().get(ValueLayout.JAVA_LONG, OCTETS - 8)).isEqualTo(40);
    assertThat(there.segment().get(ValueLayout.JAVA_LONG, 4096)).isEqualTo(42);
  }

  @Test
  void shouldRefuseThePeerWhatIsBelowTheBase() {
    MemoryRegion here = programs.here.allocate(64);
    MemoryRegion there = programs.there.allocate(64, ALL.withBaseTo(4096));
    assertThat(out.postWrite(1, here, 0, 1, there.stag(), 4095)).isTrue();
    assertThat(out.awaitClosed(ConnectedPrograms.TIMEOUT)).isTrue();
    assertThat(out.closeReason()).isEqualTo(Reason.TERMINATED);
    assertThat(out.closeDetail()).isEqualTo(0x1101);
  }

  @Test
  void shouldBindWindowsByOffsetsInTheRegion() {
    MemoryRegion here = programs.here.allocate(64, Access.LOCAL_WRITE);
    here.segment().fill((byte) 9);
    MemoryRegion there = programs.there.allocate(OCTETS, ALL.withBaseTo(1L << 40));
    MemoryWindow window = programs.there.allocateWindow();
    int rights = Access.bits(Access.REMOTE_WRITE);
    assertThat(out.postWrite(0, here, 0, 0, 0, 0, 0)).isTrue(); // lets the Responder go on
    assertThat(programs.in.localOperations().postBind(1, window, there, 100, 64, rights, 0))
        .isTrue();
    assertThat(completions(programs.there, 1)).containsExactly("bind 1 SUCCESS 0");
    assertThat(out.postWrite(2, here, 0, 64, window.stag(), window.baseTo())).isTrue();
    assertThat(completions(programs.here, 1)).containsExactly("write 2 SUCCESS 64");
    assertThat(out.postRead(3, here, 0, 64, there.stag(), there.baseTo() + 100)).isTrue();
    assertThat(completions(programs.here, 1)).hasSize(1); // the write before has been placed
    assertThat(there.segment().asSlice(100, 64).toArray(ValueLayout.JAVA_BYTE)).containsOnly(9);
  }

  @Test
  void shouldRefuseARangeThatDoesNotEndBelow2To64() {
    MemoryRegion whole = programs.here.allocate(OCTETS);
    RegionOptions last = ALL.withBaseTo(-1L - 100);
    whole.register(0, 100, last).close();
    assertThatThrownBy(() -> whole.register(0, 101, last))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.INVALID))
        .hasMessageContaining("101 octets from the Tagged Offset 18446744073709551515");
  }
}
