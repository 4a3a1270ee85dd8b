package org.rddp.ip.esp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class LifetimeTest {
  @Test
  void shouldEndWithOctetsOrTime() {
    Lifetime lifetime = new Lifetime(100, 200, 10, 20);
    assertThat(lifetime.isSoftOver(99, 9)).isFalse();
    assertThat(lifetime.isSoftOver(100, 0)).isTrue();
    assertThat(lifetime.isSoftOver(0, 10)).isTrue();
    assertThat(lifetime.isHardOver(199, 19)).isFalse();
    assertThat(lifetime.isHardOver(200, 0)).isTrue();
    assertThat(lifetime.isHardOver(0, 20)).isTrue();
    assertThat(Lifetime.UNLIMITED.isHardOver(Long.MAX_VALUE - 1, Long.MAX_VALUE - 1)).isFalse();
  }

  @Test
  void shouldRefuseASoftOneAfterTheHardOne() {
    assertThatThrownBy(() -> new Lifetime(2, 1, 1, 1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Lifetime(1, 1, 2, 1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Lifetime(0, 1, 1, 1)).isInstanceOf(IllegalArgumentException.class);
  }
}
