package org.rddp.ddp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.ddp.DdpFixture.octets;
import static org.rddp.ddp.DdpFixture.tagged;

import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.DdpMemoryWindow;
import org.rddp.ddp.memory.TaggedBuffer;
import org.rddp.ddp.memory.TaggedBuffers;

/** Windows whose binds choose the last octet of the STag. */
class KeyedMemoryWindowTest {
  private static final int LAST = 0xc1;
  private static final int LENGTH = 100;
  private static final long BASE = 0x1_0000_0000L;

  private final DdpFixture ddp = DdpFixture.receiving(1);
  private final TaggedBuffers buffers = ddp.engine.taggedBuffers();
  private final GuardedMemory memory = new GuardedMemory(LENGTH);
  private final TaggedBuffer region = region();
  private final DdpMemoryWindow forOne = buffers.allocateKeyedWindow(ddp.domain, false);
  private final DdpMemoryWindow forAll = buffers.allocateKeyedWindow(ddp.domain, true);

  private TaggedBuffer region() {
    int rights = AccessRights.LOCAL_WRITE | AccessRights.MW_BIND;
    return buffers.lookup(buffers.register(ddp.domain, null, memory.address(), LENGTH, 0, rights));
  }

  private boolean bind(DdpMemoryWindow window, long length, int key) {
    return window.bind(region, ddp.stream, 10, length, BASE, AccessRights.REMOTE_WRITE, key);
  }

  private static int stag(DdpMemoryWindow window, int key) {
    return (window.nextStag() & ~0xff) | key;
  }

  @Test
  @Tag("DDP-8.3-01")
  void shouldOpenItsPartUnderTheChosenKey() {
    int stag = stag(forOne, 0xab);
    assertThat(bind(forOne, 20, 0xab)).isTrue();
    assertThat(forOne.isBoundTo(region)).isTrue();
    assertThat(forOne.nextStag()).isEqualTo(stag + 1);
    assertThat(ddp.receive(tagged(LAST, stag, BASE, octets(20, 1))))
        .containsExactly("tagged 40 stag %08x to %d octets 20".formatted(stag, BASE));
    assertThat(ddp.receive(tagged(LAST, stag, BASE + 20, "01")))
        .containsExactly("error BASE_OR_BOUNDS");
  }

  @Test
  @Tag("DDP-8.3.1-04")
  void shouldOpenNothingUnderTheKeyBefore() {
    int stag = stag(forAll, 255);
    assertThat(bind(forAll, 20, 255)).isTrue();
    assertThat(forAll.nextStag()).as("the keys go round").isEqualTo(stag(forAll, 0));
    assertThat(bind(forAll, 20, 0)).isTrue();
    assertThat(ddp.receive(tagged(LAST, stag, BASE, "01"))).containsExactly("error INVALID_STAG");
    memory.assertUntouched();
  }

  @Test
  void shouldBeInvalidatedBeforeItIsBoundAgainUnlessItIsForAll() {
    assertThat(bind(forOne, 20, 1)).isTrue();
    assertThat(bind(forOne, 20, 2)).isFalse();
    assertThat(buffers.invalidate(stag(forOne, 1))).isTrue();
    assertThat(bind(forOne, 20, 2)).isTrue();
    assertThat(bind(forAll, 20, 1)).isTrue();
    assertThat(bind(forAll, 30, 1)).as("with the same key").isTrue();
    assertThat(buffers.size()).isEqualTo(3);
  }

  @Test
  void shouldBeUnboundByALengthOfZeroIfItIsForAll() {
    assertThat(bind(forAll, 20, 1)).isTrue();
    assertThat(bind(forAll, 0, 2)).isTrue();
    assertThat(forAll.isBound()).isFalse();
    assertThat(bind(forOne, 0, 2)).isFalse();
    assertThat(buffers.size()).isEqualTo(1);
  }

  @Test
  void shouldEndWithItsStreamUnlessItIsForAll() {
    assertThat(bind(forOne, 20, 1)).isTrue();
    assertThat(bind(forAll, 20, 1)).isTrue();
    forOne.release(ddp.stream);
    forAll.release(ddp.stream);
    assertThat(forOne.isBound()).isFalse();
    assertThat(forAll.isBound()).isTrue();
  }

  /** The peer of one stream must not take it from the others. */
  @Test
  @Tag("RDMAP-8.1.1-07")
  void shouldNotBeInvalidatedByAPeerIfItIsForAll() {
    assertThat(bind(forOne, 20, 1)).isTrue();
    assertThat(bind(forAll, 20, 1)).isTrue();
    assertThat(buffers.lookup(stag(forOne, 1)).mayBeInvalidatedBy(ddp.stream)).isTrue();
    assertThat(buffers.lookup(stag(forAll, 1)).mayBeInvalidatedBy(ddp.stream)).isFalse();
  }

  /** Who still reads through an earlier bind must notice: the memory may be gone. */
  @Test
  void shouldShowThatItWasBoundAgainUnderTheSameStag() {
    assertThat(bind(forAll, 20, 1)).isTrue();
    TaggedBuffer bound = buffers.lookup(stag(forAll, 1));
    long opened = bound.opened();
    assertThat(bind(forAll, 20, 1)).isTrue();
    assertThat(bound.opened()).isNotEqualTo(opened);
  }

  /** Upper bits of a window's STag belong to it, whatever its key is. */
  @Test
  void shouldShareItsUpperBitsWithNoOtherStag() {
    Random few = new Random(1);
    TaggedBuffers crowded = new TaggedBuffers(1 << 10, () -> (long) few.nextInt(1 << 12) << 32);
    DdpMemoryWindow window = crowded.allocateKeyedWindow(ddp.domain, true);
    int upper = window.nextStag() >>> 8;
    for (int i = 0; i < 500; i++) {
      int stag =
          crowded.register(ddp.domain, null, memory.address(), LENGTH, 0, AccessRights.REMOTE_READ);
      assertThat(stag >>> 8).isNotEqualTo(upper);
    }
    window.free();
    assertThat(crowded.size()).isEqualTo(500);
  }
}
