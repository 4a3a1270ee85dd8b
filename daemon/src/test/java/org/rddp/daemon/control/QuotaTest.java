package org.rddp.daemon.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.rddp.daemon.engine.RequestRefusedException;

class QuotaTest {
  private final Quota parent = new Quota("of all", 100, null);
  private final Quota quota = new Quota("of one", 60, parent);

  @Test
  void shouldTakeWhatIsPlentyUpToHalfOnly() {
    assertThat(quota.takeIfPlenty(31)).isFalse();
    assertThat(quota.takeIfPlenty(30)).isTrue();
    assertThat(quota.takeIfPlenty(1)).isFalse();
    assertThat(quota.used()).isEqualTo(30);
    assertThat(parent.used()).isEqualTo(30);
  }

  @Test
  void shouldTakeNothingIfItsParentHasNotPlenty() throws Exception {
    parent.take(45);
    assertThat(quota.takeIfPlenty(10)).isFalse();
    assertThat(quota.used()).isZero();
    assertThat(parent.used()).isEqualTo(45);
  }

  @Test
  void shouldCountWhatIsInUseBeyondItsLimit() {
    quota.add(70);
    assertThat(parent.used()).isEqualTo(70);
    assertThatThrownBy(() -> quota.take(1)).isInstanceOf(RequestRefusedException.class);
    quota.give(70);
    assertThat(parent.used()).isZero();
  }

  @Test
  void shouldTakeTheOtherHalfForWhatIsNeeded() throws Exception {
    assertThat(quota.takeIfPlenty(30)).isTrue();
    quota.take(30);
    assertThatThrownBy(() -> quota.take(1))
        .isInstanceOf(RequestRefusedException.class)
        .hasMessageContaining("60 of 60 of one");
    quota.giveAll();
    assertThat(parent.used()).isZero();
  }
}
