package org.rddp.group;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openjdk.jol.info.GraphLayout;

/** What docs/operations.md says about the memory of several engines. */
class StackGroupSizeTest {
  private static final long MEBIBYTE = 1 << 20;
  private static final long OF_INTERFACE = 5 * MEBIBYTE / 2;
  private static final long OF_STACK = MEBIBYTE / 2;
  private static final long SMALL = 64 << 10;

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 8, 32})
  void shouldTakeWhatTheInterfaceAndItsStacksMay(int stacks) {
    long octets = GraphLayout.parseInstance(new StackGroup(stacks)).totalSize();
    assertThat(octets).isLessThanOrEqualTo(OF_INTERFACE + stacks * (OF_STACK + SMALL));
  }

  @Test
  void shouldTakeNextToNothingForOneStack() {
    assertThat(GraphLayout.parseInstance(new StackGroup(1)).totalSize()).isLessThan(SMALL);
  }
}
