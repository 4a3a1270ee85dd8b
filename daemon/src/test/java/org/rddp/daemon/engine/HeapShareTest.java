package org.rddp.daemon.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.rddp.client.types.Reason;

/** The heap is shared out among users. */
class HeapShareTest {
  private static final long KIB = 1 << 10;
  private static final long MIB = KIB * KIB;

  private final HeapShare whole = HeapShare.ofHeap(64 * MIB);
  private final HeapShare user = whole.share("user 1", 6 * MIB);
  private final HeapShare other = whole.share("user 2", 6 * MIB);

  private static void assertRefused(HeapShare share, long octets, Reason reason, String text) {
    assertThatThrownBy(() -> share.take("a connection", octets))
        .isInstanceOfSatisfying(
            RequestRefusedException.class, e -> assertThat(e.reason()).isEqualTo(reason))
        .hasMessageContaining(text);
  }

  @Test
  void shouldLeaveHeapForTheDaemonAndForGarbage() {
    assertThat(whole.limit()).isEqualTo(8 * MIB);
    assertThat(HeapShare.ofHeap(32 * MIB).limit()).isZero();
  }

  @Test
  void shouldNameTheShareThatIsUsedUp() throws RequestRefusedException {
    user.take("a connection", 5 * MIB);
    assertRefused(
        user,
        2 * MIB,
        Reason.LIMIT,
        "no heap for a connection: 5120 of 6144 KiB for programs of user 1 are taken, it needs 2048");
    assertThat(whole.refused()).isZero();
    assertRefused(other, 4 * MIB, Reason.RESOURCES, "5120 of 8192 KiB for programs of this daemon");
    assertThat(whole.refused()).isEqualTo(1);
  }

  @Test
  void shouldTakeNothingWhereItRefuses() throws RequestRefusedException {
    user.take("a connection", 5 * MIB);
    assertRefused(other, 4 * MIB, Reason.RESOURCES, "this daemon");
    assertRefused(user, 4 * MIB, Reason.LIMIT, "user 1");
    other.take("a connection", 3 * MIB);
    assertThat(whole.used()).isEqualTo(8 * MIB);
    assertThat(other.used()).isEqualTo(3 * MIB);
  }

  @Test
  void shouldGiveBack() throws RequestRefusedException {
    for (int i = 0; i < 3; i++) {
      user.take("a connection", 6 * MIB);
      user.give(6 * MIB);
    }
    assertThat(whole.used()).isZero();
  }

  @Test
  void shouldGiveBackAllOfASession() throws RequestRefusedException {
    HeapShare session = user.share("this program", Long.MAX_VALUE);
    session.take("a session", 2 * MIB);
    session.take("a connection", MIB);
    user.take("another session", MIB);
    session.giveAll();
    assertThat(session.used()).isZero();
    assertThat(user.used()).isEqualTo(MIB);
    assertThat(whole.used()).isEqualTo(MIB);
  }
}
