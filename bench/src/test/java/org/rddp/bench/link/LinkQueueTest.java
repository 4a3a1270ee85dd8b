package org.rddp.bench.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class LinkQueueTest {
  /** 8 ns an octet; a frame of 976 octets takes 8 us with what is around it. */
  private static final LinkSettings SHAPE = new LinkSettings(0, 1, 50_000, 2000, 1);

  private static final int OCTETS = 976;
  private static final long TAKES = 8_000;

  private final LinkQueue queue = new LinkQueue(4);

  LinkQueueTest() {
    queue.configure(SHAPE);
  }

  @Test
  void shouldLetAFrameArriveWhenItHasLeftAndCrossedTheLink() {
    assertThat(queue.offer(7, OCTETS, 1_000)).isTrue();
    assertThat(queue.due(1_000 + TAKES + 49_999)).isFalse();
    assertThat(queue.due(1_000 + TAKES + 50_000)).isTrue();
    assertThat(queue.poll()).isEqualTo(7);
    assertThat(queue.due(Long.MAX_VALUE)).isFalse();
  }

  @Test
  void shouldLetFramesLeaveOneAfterTheOther() {
    assertThat(queue.offer(1, OCTETS, 0)).isTrue();
    assertThat(queue.offer(2, OCTETS, 0)).isTrue();
    assertThat(queue.poll()).isEqualTo(1);
    assertThat(queue.due(2 * TAKES + 49_999)).isFalse();
    assertThat(queue.due(2 * TAKES + 50_000)).isTrue();
  }

  @Test
  void shouldDropWhatFindsTooMuchWaiting() {
    for (int frame = 1; frame <= 3; frame++) {
      assertThat(queue.offer(frame, OCTETS, 0)).isTrue();
    }
    assertThat(queue.offer(4, OCTETS, 0)).as("behind 3000 octets").isFalse();
    assertThat(queue.offer(4, OCTETS, TAKES)).as("behind 2000").isTrue();
  }

  @Test
  void shouldDropWhatFindsTooManyUnderWay() {
    for (int frame = 1; frame <= 4; frame++) {
      assertThat(queue.offer(frame, OCTETS, frame * TAKES)).isTrue();
    }
    assertThat(queue.offer(5, OCTETS, 5 * TAKES)).isFalse();
    assertThat(queue.size()).isEqualTo(4);
  }

  @Test
  void shouldRefuseAShapeThatNoLinkHas() {
    assertThatIllegalArgumentException().isThrownBy(() -> new LinkSettings(1.1, 1, 0, 1, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> new LinkSettings(0, 0, 0, 1, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> new LinkSettings(0, 1, -1, 1, 1));
  }
}
