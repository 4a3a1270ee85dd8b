package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.daemon.ConnectedPrograms.completions;

import java.lang.foreign.ValueLayout;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Connection;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RefusedException;
import org.rddp.client.RegionOptions;
import org.rddp.client.RegionPiece;
import org.rddp.client.types.Access;
import org.rddp.client.types.Reason;

/**
 * Regions that Java programs make of several pieces: where octets come to lie, and how they end.
 */
@Timeout(60)
class RegionPiecesTest {
  private static final int PAGE = 4096;
  private static final long BASE = 0x7000_0000_0000L;
  private static final RegionOptions FOR_PEERS =
      RegionOptions.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ)
          .withBaseTo(BASE);

  private final ConnectedPrograms programs = new ConnectedPrograms();
  private final Connection out = programs.out;
  private final Connection in = programs.in;
  private final Rddp there = programs.there;
  private final MemoryRegion source = programs.here.allocate(3 * PAGE, Access.LOCAL_WRITE);
  private final MemoryRegion first = there.allocate(2 * PAGE, Access.LOCAL_WRITE);
  private final MemoryRegion second = there.allocate(2 * PAGE, Access.LOCAL_WRITE);

  @AfterEach
  void close() {
    programs.close();
  }

  private static byte at(MemoryRegion region, long offset) {
    return region.segment().get(ValueLayout.JAVA_BYTE, offset);
  }

  private void fillSource() {
    for (int i = 0; i < source.length(); i++) {
      source.segment().set(ValueLayout.JAVA_BYTE, i, (byte) (i % 251 + 1));
    }
  }

  @Test
  void shouldPlaceOctetsOfOneMessageInEveryPiece() {
    fillSource();
    // The last 100 octets of the first memory, the second page of the other, the first page again.
    MemoryRegion joined =
        there.registerPieces(
            List.of(
                new RegionPiece(first, 2 * PAGE - 100, 100),
                new RegionPiece(second, PAGE, PAGE),
                new RegionPiece(first, 0, 50)),
            FOR_PEERS);
    assertThat(joined.length()).isEqualTo(100 + PAGE + 50);
    assertThat(joined.baseTo()).isEqualTo(BASE);

    assertThat(out.postWrite(1, source, 0, joined.length(), joined.stag(), BASE)).isTrue();
    assertThat(out.postRead(2, source, 2 * PAGE, 60, joined.stag(), BASE + 90)).isTrue();
    assertThat(completions(programs.here, 2))
        .containsExactly("write 1 SUCCESS 4246", "read 2 SUCCESS 60");
    assertThat(source.segment().asSlice(2 * PAGE, 60).mismatch(source.segment().asSlice(90, 60)))
        .isEqualTo(-1);
    assertThat(
            first.segment().asSlice(2 * PAGE - 100, 100).mismatch(source.segment().asSlice(0, 100)))
        .isEqualTo(-1);
    assertThat(second.segment().asSlice(PAGE, PAGE).mismatch(source.segment().asSlice(100, PAGE)))
        .isEqualTo(-1);
    assertThat(first.segment().asSlice(0, 50).mismatch(source.segment().asSlice(100 + PAGE, 50)))
        .isEqualTo(-1);
    assertThat(at(first, 50)).as("behind the last piece").isZero();
    assertThat(at(first, 2 * PAGE - 101)).as("before the first piece").isZero();
    assertThat(at(second, PAGE - 1)).as("before the second piece").isZero();

    assertThat(out.postWrite(3, source, 0, 2, joined.stag(), BASE + joined.length() - 1)).isTrue();
    assertThat(out.awaitClosed(ConnectedPrograms.TIMEOUT)).isTrue();
    assertThat(out.closeReason()).isEqualTo(Reason.TERMINATED);
    assertThat(at(first, 50)).isZero();
  }

  @Test
  void shouldReceiveAndSendOverTheBordersOfPieces() {
    fillSource();
    MemoryRegion joined =
        there.registerPieces(List.of(RegionPiece.of(second), RegionPiece.of(first)), FOR_PEERS);
    assertThat(in.postReceive(1, joined, 2 * PAGE - 10, 30)).isTrue();
    assertThat(out.postSend(2, source, 0, 30)).isTrue();
    assertThat(completions(there, 1)).containsExactly("receive 1 SUCCESS 30");
    assertThat(at(second, 2 * PAGE - 1)).isEqualTo(at(source, 9));
    assertThat(at(first, 0)).isEqualTo(at(source, 10));

    assertThat(out.postReceive(3, source, 100, 30)).isTrue();
    assertThat(in.postSend(4, joined, 2 * PAGE - 10, 30)).isTrue();
    assertThat(completions(programs.here, 2)).contains("receive 3 SUCCESS 30");
    assertThat(source.segment().asSlice(100, 30).mismatch(source.segment().asSlice(0, 30)))
        .isEqualTo(-1);
  }

  @Test
  void shouldKeepTheMemoryOfPiecesUntilTheRegionIsClosed() {
    MemoryRegion joined =
        there.registerPieces(List.of(RegionPiece.of(first), RegionPiece.of(second)), FOR_PEERS);
    assertThatThrownBy(first::close)
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.STATE));
    joined.close();
    first.close();
    second.close();
    assertThatThrownBy(() -> in.postReceive(1, joined, 0, 1)).hasMessageContaining("closed");
  }

  @Test
  void shouldRefuseWhatCannotBeOneRegion() {
    RegionPiece whole = RegionPiece.of(first);
    assertThatThrownBy(() -> there.registerPieces(List.of(), FOR_PEERS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("0 pieces: a region has 1 to 200");
    assertThatThrownBy(() -> there.registerPieces(Collections.nCopies(201, whole), FOR_PEERS))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(
            () -> there.registerPieces(List.of(new RegionPiece(first, PAGE, PAGE + 1)), FOR_PEERS))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(
            () -> there.registerPieces(List.of(new RegionPiece(first, 0, 100), whole), FOR_PEERS))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("does not end with a page");
    assertThatThrownBy(
            () -> there.registerPieces(List.of(whole, RegionPiece.of(source)), FOR_PEERS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("another session");
    MemoryRegion joined = there.registerPieces(List.of(whole), FOR_PEERS);
    assertThatThrownBy(() -> there.registerPieces(List.of(RegionPiece.of(joined)), FOR_PEERS))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("several pieces");
    assertThatThrownBy(() -> joined.register(0, 1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(joined::segment).isInstanceOf(IllegalStateException.class);
  }
}
