package org.rddp.crc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Crc32cChoiceTest {
  private static Crc32cChoice choice(Map<String, String> properties, boolean vectors) {
    return Crc32cChoice.of(properties::get, vectors);
  }

  @Test
  void shouldTakeTheJdkWhereThereAreNoVectors() {
    assertThat(choice(Map.of(), false).create()).isInstanceOf(IntrinsicCrc32c.class);
  }

  @Test
  void shouldTakeWhatWasAskedFor() {
    assertThat(choice(Map.of("rddp.crc32c", "jdk"), true).create())
        .isInstanceOf(IntrinsicCrc32c.class);
    assertThat(choice(Map.of("rddp.crc32c", "table"), true).create())
        .isInstanceOf(ScalarCrc32c.class);
  }

  @Test
  void shouldFoldFromTheLengthsAskedFor() {
    Assumptions.assumeTrue(Crc32cChoice.vectorsAreThere(), "no vectors of 512 bits");
    Crc32c crc32c =
        choice(
                Map.of(
                    "rddp.crc32c", "vector", "rddp.crc32c.fold", "768", "rddp.crc32c.copy", "5000"),
                true)
            .create();
    assertThat(crc32c).isInstanceOf(VectorCrc32c.class);
    assertThat(crc32c.copiesInOnePass(4999)).isFalse();
    assertThat(crc32c.copiesInOnePass(5000)).isTrue();
  }

  @Test
  void shouldRefuseVectorsThatAreNotThere() {
    assertThatThrownBy(() -> choice(Map.of("rddp.crc32c", "vector"), false))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("jdk.incubator.vector");
  }

  @Test
  void shouldNameWhatMakesNoSense() {
    assertThatThrownBy(() -> choice(Map.of("rddp.crc32c", "quick"), true))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("rddp.crc32c=quick");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-1", "767", "4k", "9999999999999999999"})
  void shouldRefuseThresholdsThatAreNone(String value) {
    for (String name : new String[] {"rddp.crc32c.fold", "rddp.crc32c.copy"}) {
      assertThatThrownBy(() -> choice(Map.of(name, value), true))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(name + "=" + value);
    }
  }

  @Test
  void shouldGiveAThreadOneInstance() throws InterruptedException {
    Crc32c ours = Crc32c.ofThread();
    Crc32c[] theirs = new Crc32c[1];
    Thread other = new Thread(() -> theirs[0] = Crc32c.ofThread());
    other.start();
    other.join();
    assertThat(Crc32c.ofThread()).isSameAs(ours);
    assertThat(theirs[0]).isNotNull().isNotSameAs(ours);
  }
}
