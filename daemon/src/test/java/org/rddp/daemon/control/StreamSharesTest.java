package org.rddp.daemon.control;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.rddp.daemon.engine.HeapShare;
import org.rddp.daemon.engine.SessionOwner;
import org.rddp.daemon.engine.StreamSection;

class StreamSharesTest {
  private static final int MEMORIES = 128;

  private final Quota any = new Quota("of any", Long.MAX_VALUE, null);
  private final Quota memories = new Quota("memories", MEMORIES, null);
  private final Resources process =
      new Resources(any, any, any, memories, any, any, HeapShare.unlimited());
  private final StreamShares shares = new StreamShares(null, null, process, any);
  private final StreamSection section =
      new StreamSection(null, 0, SessionOwner.unlimited(), null, Runnable::run);

  /** Others, such as sessions for RDMA, are refused what is kept. */
  @Test
  void shouldKeepASmallPartOfTheLimitForAllSessionsOfAUser() throws Exception {
    shares.add(section);
    StreamSlot slot = shares.take(section, null);
    assertThat(shares.mayKeep(slot, 0)).isTrue();
    assertThat(shares.mayKeep(slot, 1)).isTrue();
    assertThat(shares.mayKeep(slot, 2)).isFalse();
  }
}
