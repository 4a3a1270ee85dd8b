package org.rddp.ddp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.ddp.DdpFixture.octets;
import static org.rddp.ddp.DdpFixture.tagged;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.DdpMemoryWindow;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.TaggedBuffer;
import org.rddp.ddp.memory.TaggedBuffers;

/** Windows that are bound again and again, under another name each time. */
class DdpMemoryWindowTest {
  private static final int LAST = 0xc1;
  private static final int LENGTH = 100;

  private final DdpFixture ddp = DdpFixture.receiving(1);
  private final TaggedBuffers buffers = ddp.engine.taggedBuffers();
  private final GuardedMemory memory = new GuardedMemory(LENGTH);
  private final TaggedBuffer region =
      buffers.lookup(
          buffers.register(
              ddp.domain,
              null,
              memory.address(),
              LENGTH,
              0,
              AccessRights.LOCAL_WRITE | AccessRights.MW_BIND));
  private final DdpMemoryWindow window = buffers.allocateWindow(ddp.domain);

  private boolean bind() {
    return window.bind(region, ddp.stream, 10, 20, 0, AccessRights.REMOTE_WRITE, 0);
  }

  @Test
  @Tag("DDP-8.3-02")
  void shouldOpenNothingBeforeItIsBound() {
    int stag = window.nextStag();
    assertThat(stag).isNotZero();
    assertThat(buffers.lookup(stag)).isNull();
    assertThat(window.isBound()).isFalse();
    assertThat(ddp.receive(tagged(LAST, stag, 0, "01"))).containsExactly("error INVALID_STAG");
    memory.assertUntouched();
  }

  @Test
  @Tag("DDP-8.3-01")
  @Tag("DDP-8.3.1-02")
  void shouldOpenItsPartUnderTheNameThatWasKnownBefore() {
    int stag = window.nextStag();
    assertThat(bind()).isTrue();
    assertThat(window.isBoundTo(region)).isTrue();
    assertThat(window.nextStag()).isNotEqualTo(stag);
    assertThat(ddp.receive(tagged(LAST, stag, 0, octets(20, 1))))
        .containsExactly("tagged 40 stag %08x to 0 octets 20".formatted(stag));
    assertThat(ddp.receive(tagged(LAST, stag, 20, "01"))).containsExactly("error BASE_OR_BOUNDS");
  }

  /** Its entry in the table of STags, and with it the stream, is released. */
  @Test
  void shouldLetGoOfAStreamThoughItsRegionWentFirst() {
    assertThat(bind()).isTrue();
    buffers.invalidate(region);
    window.release(ddp.stream);
    assertThat(buffers.size()).as("the next name").isEqualTo(1);
  }

  @Test
  void shouldHaveAnotherNameEachTime() {
    Set<Integer> names = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      int stag = window.nextStag();
      names.add(stag);
      assertThat(bind()).isTrue();
      assertThat(bind()).as("bound already").isFalse();
      assertThat(window.nextStag()).as("a refusal changes nothing").isNotEqualTo(stag);
      assertThat(buffers.invalidate(stag)).isTrue();
    }
    assertThat(names).hasSize(100);
    assertThat(buffers.size()).as("the region and the next name").isEqualTo(2);
  }

  @Test
  @Tag("DDP-8.2-02")
  void shouldBelongToOneStream() {
    int stag = window.nextStag();
    bind();
    DdpFixture other = DdpFixture.receiving(1);
    assertThat(buffers.lookup(stag).associatedWith(other.stream)).isFalse();
    window.release(other.stream);
    assertThat(window.isBound()).isTrue();
    window.release(ddp.stream);
    assertThat(window.isBound()).isFalse();
    assertThat(bind()).isTrue();
  }

  @Test
  @Tag("DDP-8.3.1-04")
  void shouldEndWithItsRegion() {
    int stag = window.nextStag();
    bind();
    buffers.invalidate(region);
    assertThat(window.isBound()).isFalse();
    assertThat(ddp.receive(tagged(LAST, stag, 0, "01"))).containsExactly("error INVALID_STAG");
    memory.assertUntouched();
    assertThat(bind()).as("to what is gone").isFalse();
    window.free();
    assertThat(buffers.size()).isZero();
  }

  @Test
  @Tag("DDP-8.2-01")
  void shouldNotBeBoundToARegionOfAnotherDomain() {
    DdpMemoryWindow foreign = buffers.allocateWindow(new ProtectionDomain("theirs"));
    assertThat(foreign.bind(region, null, 0, 1, 0, AccessRights.REMOTE_READ, 0)).isFalse();
  }

  @Test
  @Tag("DDP-8.3.1-04")
  void shouldGiveItsPlacesBack() {
    int stag = window.nextStag();
    bind();
    window.free();
    assertThat(buffers.size()).isEqualTo(1);
    assertThat(ddp.receive(tagged(LAST, stag, 0, "01"))).containsExactly("error INVALID_STAG");
    memory.assertUntouched();
  }

  @Test
  void shouldNeedPlacesInTheTable() {
    while (buffers.size() < buffers.capacity()) {
      assertThat(buffers.allocateWindow(ddp.domain)).isNotNull();
    }
    assertThat(buffers.allocateWindow(ddp.domain)).isNull();
    assertThat(bind()).as("no place for the name behind this one").isFalse();
    buffers.invalidate(region.stag());
    assertThat(region.valid()).isFalse();
  }

  @Test
  void shouldNotInvalidateWhatHasTheNameByNow() {
    int stag = window.nextStag();
    bind();
    TaggedBuffer bound = buffers.lookup(stag);
    buffers.invalidate(stag);
    buffers.invalidate(bound);
    assertThat(bound.valid()).isFalse();
    assertThat(buffers.lookup(region.stag())).isSameAs(region);
  }
}
