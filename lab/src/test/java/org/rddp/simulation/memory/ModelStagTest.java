package org.rddp.simulation.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Which STags new requests may use. */
class ModelStagTest {
  private final ModelStag region = new ModelStag(1, null, 0, 100, 0, 1, false);
  private final ModelStag window = new ModelStag(2, region, 10, 20, 0, 1, true);

  @Test
  void shouldUseOnlyTheWindowOfARegionThatIsBeingRevoked() {
    region.leaves(true);
    assertThat(region.usable(1)).isFalse();
    assertThat(window.usable(1)).isTrue();
    region.leaves(false);
    assertThat(region.usable(1)).isTrue();
  }

  @Test
  void shouldUseNeitherOfARegionThatIsGivenUp() {
    region.giveUp();
    assertThat(region.usable(1)).isFalse();
    assertThat(window.usable(1)).isFalse();
  }
}
