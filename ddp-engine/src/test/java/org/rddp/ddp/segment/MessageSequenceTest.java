package org.rddp.ddp.segment;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class MessageSequenceTest {
  @Test
  @Tag("DDP-4.3-07")
  void shouldBeginWithOne() {
    MessageSequence sequence = new MessageSequence(MessageSequence.FIRST);
    assertThat(sequence.take()).isEqualTo(1);
    assertThat(sequence.take()).isEqualTo(2);
  }

  @Test
  @Tag("DDP-4.3-08")
  void shouldWrapToZero() {
    MessageSequence sequence = new MessageSequence(0xffff_ffff);
    assertThat(sequence.take()).isEqualTo(0xffff_ffff);
    assertThat(sequence.take()).isEqualTo(0);
    assertThat(sequence.take()).isEqualTo(1);
  }
}
