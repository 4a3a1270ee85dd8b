package org.rddp.ddp.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class TaggedBuffersTest {
  private final ProtectionDomain domain = new ProtectionDomain("test");
  private final TaggedBuffers buffers = new TaggedBuffers(4, new Random(1));

  private int register(long address) {
    return buffers.register(domain, null, address, 100, 0, AccessRights.REMOTE_WRITE);
  }

  @Test
  void shouldFindWhatWasRegistered() {
    int stag = register(4096);
    TaggedBuffer found = buffers.lookup(stag);
    assertThat(found.stag()).isEqualTo(stag);
    assertThat(found.addressOf(7)).isEqualTo(4103);
    assertThat(found.permits(AccessRights.REMOTE_WRITE)).isTrue();
    assertThat(found.permits(AccessRights.REMOTE_READ)).isFalse();
  }

  @Test
  void shouldGiveNoStagWhenFull() {
    for (int i = 0; i < 4; i++) {
      assertThat(register(i)).isNotZero();
    }
    assertThat(register(4)).isZero();
    assertThat(buffers.size()).isEqualTo(buffers.capacity()).isEqualTo(4);
  }

  @Test
  @Tag("RDMAP-8.1.1-08")
  void shouldGiveNeitherZeroNorAnStagInUse() {
    int[] numbers = {0, 77, 77, 0, 0xfedc_ba98};
    int[] next = {0};
    RandomGenerator scripted = () -> (long) numbers[next[0]++] << 32;
    TaggedBuffers table = new TaggedBuffers(4, scripted);
    assertThat(table.register(domain, null, 1, 1, 0, 0)).isEqualTo(77);
    assertThat(table.register(domain, null, 1, 1, 0, 0)).isEqualTo(0xfedc_ba98);
  }

  @Test
  @Tag("DDP-8.3-02")
  void shouldForgetWhatWasInvalidated() {
    int stag = register(4096);
    assertThat(buffers.invalidate(stag)).isTrue();
    assertThat(buffers.lookup(stag)).isNull();
    assertThat(buffers.invalidate(stag)).isFalse();
    assertThat(buffers.size()).isZero();
  }

  @Test
  void shouldRefuseARangeThatPassesTheEndOfTheNumbers() {
    assertThatThrownBy(() -> buffers.register(domain, null, 1, 2, -2, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> buffers.register(domain, null, 1, 0, 0, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> buffers.register(domain, null, 1, 1, 0, 64))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(buffers.register(domain, null, 1, 1, -2, 0)).isNotZero();
  }

  @Test
  void shouldKnowTheExactRange() {
    int stag = buffers.register(domain, null, 1000, 16, Long.MAX_VALUE - 7, 0);
    TaggedBuffer buffer = buffers.lookup(stag);
    long base = Long.MAX_VALUE - 7;
    assertThat(buffer.contains(base, 16)).isTrue();
    assertThat(buffer.contains(base + 15, 1)).isTrue();
    assertThat(buffer.contains(base + 15, 2)).isFalse();
    assertThat(buffer.contains(base + 16, 1)).isFalse();
    assertThat(buffer.contains(base - 1, 1)).isFalse();
    assertThat(buffer.contains(base, 17)).isFalse();
    assertThat(buffer.contains(base + Long.MIN_VALUE, 1)).isFalse();
  }

  @Test
  void shouldCountTheVeryEndAsWrap() {
    assertThat(TaggedBuffer.wraps(-16, 15)).isFalse();
    assertThat(TaggedBuffer.wraps(-16, 16)).isTrue();
    assertThat(TaggedBuffer.wraps(-16, 17)).isTrue();
  }

  @Test
  void shouldStayRightThroughManyRegistrationsAndInvalidations() {
    // Few low bits, so that searches are long and closing a gap has much to move.
    Random random = new Random(2);
    RandomGenerator crowded = () -> random.nextLong() & 0xff00_0007_0000_0000L;
    TaggedBuffers table = new TaggedBuffers(48, crowded);
    Map<Integer, Long> model = new HashMap<>();
    for (int i = 0; i < 20_000; i++) {
      if (random.nextBoolean() && model.size() < 48) {
        int stag = table.register(domain, null, i + 1L, 1, 0, 0);
        assertThat(model.put(stag, i + 1L)).isNull();
      } else if (!model.isEmpty()) {
        int victim = model.keySet().stream().skip(random.nextInt(model.size())).findFirst().get();
        model.remove(victim);
        assertThat(table.invalidate(victim)).isTrue();
      }
      if (i % 97 == 0) {
        model.forEach(
            (stag, address) -> assertThat(table.lookup(stag).addressOf(0)).isEqualTo(address));
        assertThat(table.size()).isEqualTo(model.size());
      }
    }
  }
}
