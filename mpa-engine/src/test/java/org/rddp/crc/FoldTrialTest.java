package org.rddp.crc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class FoldTrialTest {
  @Test
  void shouldFoldNothingBeforeTheTrialHasEnded() {
    Assumptions.assumeTrue(Crc32cChoice.vectorsAreThere(), "no vectors of 512 bits");
    Crc32c crc32c = Crc32cChoice.of(Map.<String, String>of()::get, true).create();
    assertThat(crc32c).isInstanceOf(VectorCrc32c.class);
    assertThat(crc32c.copiesInOnePass(Long.MAX_VALUE - 1)).isFalse();
  }

  @Test
  void shouldFoldFromTheLengthsAskedForOnceCompiled() {
    Assumptions.assumeTrue(Crc32cChoice.vectorsAreThere(), "no vectors of 512 bits");
    Map<String, String> asked = Map.of("rddp.crc32c.fold", "768", "rddp.crc32c.copy", "5000");
    Crc32cChoice choice = Crc32cChoice.of(asked::get, true);
    Crc32c crc32c = choice.create();
    choice.trial(System::nanoTime, Thread::yield).run();
    assertThat(choice)
        .asString()
        .endsWith("folded from 768 octets, copied in the same pass from 5000 octets");
    assertThat(crc32c.copiesInOnePass(4999)).isFalse();
    assertThat(crc32c.copiesInOnePass(5000)).isTrue();
  }

  @Test
  void shouldTryNothingWhereTheJdkWasAskedFor() {
    Crc32cChoice choice = Crc32cChoice.of(Map.of("rddp.crc32c", "jdk")::get, true);
    choice.trial(System::nanoTime, Thread::yield).run();
    assertThat(choice).asString().isEqualTo("the JDK's");
  }
}
