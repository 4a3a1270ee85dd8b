package org.rddp.ddp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.ddp.DdpFixture.octets;
import static org.rddp.ddp.DdpFixture.tagged;

import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.TaggedBuffer;
import org.rddp.ddp.memory.TaggedBuffers;

/** Windows onto a region: names of their own for a part of it, with their own rights. */
class WindowTest {
  private static final int LAST = 0xc1;
  private static final int LENGTH = 100;
  private static final int REGION_RIGHTS = AccessRights.LOCAL_WRITE | AccessRights.MW_BIND;

  private final DdpFixture ddp = DdpFixture.receiving(1);
  private final TaggedBuffers buffers = ddp.engine.taggedBuffers();
  private final GuardedMemory memory = new GuardedMemory(LENGTH);
  private final int region = register(REGION_RIGHTS);

  private int register(int rights) {
    return buffers.register(ddp.domain, null, memory.address(), LENGTH, 1000, rights);
  }

  private int bind(int stag, long to, long length, int rights) {
    return buffers.bind(buffers.lookup(stag), null, to, length, 0, rights);
  }

  @Test
  @Tag("DDP-8.3-01")
  @Tag("DDP-8.3.1-02")
  void shouldOpenOnlyItsPart() {
    int window = bind(region, 1010, 20, AccessRights.REMOTE_WRITE);
    assertThat(window).isNotZero().isNotEqualTo(region);
    assertThat(ddp.receive(tagged(LAST, window, 0, octets(20, 1))))
        .containsExactly("tagged 40 stag %08x to 0 octets 20".formatted(window));
    byte[] model = new byte[LENGTH];
    Arrays.fill(model, GuardedMemory.POISON);
    Arrays.fill(model, 10, 30, (byte) 1);
    memory.assertHolds(model);
    assertThat(ddp.receive(tagged(LAST, window, 1, octets(20, 2))))
        .containsExactly("error BASE_OR_BOUNDS");
    memory.assertHolds(model);
  }

  @Test
  void shouldNotOpenTheRegionItself() {
    bind(region, 1010, 20, AccessRights.REMOTE_WRITE);
    assertThat(ddp.receive(tagged(LAST, region, 1010, "01"))).containsExactly("error INVALID_STAG");
    memory.assertUntouched();
  }

  @Test
  @Tag("DDP-8.3-02")
  @Tag("DDP-8.3.1-04")
  void shouldEndByItself() {
    int window = bind(region, 1010, 20, AccessRights.REMOTE_WRITE);
    assertThat(buffers.invalidate(window)).isTrue();
    assertThat(buffers.lookup(region)).isNotNull();
    assertThat(ddp.receive(tagged(LAST, window, 0, "01"))).containsExactly("error INVALID_STAG");
    memory.assertUntouched();
  }

  @Test
  @Tag("DDP-8.3.1-04")
  void shouldEndWithItsRegion() {
    int window = bind(region, 1010, 20, AccessRights.REMOTE_WRITE);
    buffers.invalidate(region);
    assertThat(buffers.lookup(window)).isNull();
    assertThat(ddp.receive(tagged(LAST, window, 0, "01"))).containsExactly("error INVALID_STAG");
    memory.assertUntouched();
    assertThat(buffers.invalidate(window)).as("its place can be freed").isTrue();
    assertThat(buffers.size()).isZero();
  }

  @Test
  @Tag("DDP-8.2-02")
  void shouldBelongToOneStreamIfAsked() {
    int window =
        buffers.bind(
            buffers.lookup(region), ddp.stream, 1000, LENGTH, 0, AccessRights.REMOTE_WRITE);
    assertThat(ddp.receive(tagged(LAST, window, 0, "01")))
        .containsExactly("tagged 40 stag %08x to 0 octets 1".formatted(window));
    DdpFixture other = DdpFixture.receiving(1);
    assertThat(
            buffers.bind(
                buffers.lookup(region), other.stream, 1000, LENGTH, 0, AccessRights.REMOTE_WRITE))
        .as("a stream of another domain")
        .isZero();
  }

  @Test
  @Tag("DDP-8.3.1-03")
  void shouldGiveNoMoreThanTheRegionAllows() {
    assertThat(bind(region, 1000, LENGTH, AccessRights.REMOTE)).isNotZero();
    assertThat(bind(region, 1000, LENGTH, AccessRights.LOCAL_WRITE)).isZero();
    assertThat(bind(region, 1000, LENGTH, AccessRights.MW_BIND)).isZero();
    int reading = register(AccessRights.MW_BIND);
    assertThat(bind(reading, 1000, LENGTH, AccessRights.REMOTE_READ)).isNotZero();
    assertThat(bind(reading, 1000, LENGTH, AccessRights.REMOTE_WRITE)).isZero();
    assertThat(bind(reading, 1000, LENGTH, AccessRights.REMOTE_ATOMIC)).isZero();
    int closed = register(AccessRights.LOCAL_WRITE);
    assertThat(bind(closed, 1000, LENGTH, AccessRights.REMOTE_READ)).isZero();
  }

  @Test
  void shouldStayWithinTheRegion() {
    int rights = AccessRights.REMOTE_READ;
    assertThat(bind(region, 1000, LENGTH, rights)).isNotZero();
    assertThat(bind(region, 1099, 1, rights)).isNotZero();
    assertThat(bind(region, 999, 1, rights)).isZero();
    assertThat(bind(region, 1100, 1, rights)).isZero();
    assertThat(bind(region, 1000, LENGTH + 1, rights)).isZero();
    assertThat(bind(region, 1000, 0, rights)).isZero();
    assertThat(bind(region, -1, 2, rights)).isZero();
  }

  @Test
  void shouldHaveNoWindowsOfItsOwn() {
    int window = bind(region, 1000, LENGTH, AccessRights.REMOTE_READ);
    assertThat(bind(window, 0, 1, AccessRights.REMOTE_READ)).isZero();
    TaggedBuffer gone = buffers.lookup(region);
    buffers.invalidate(region);
    assertThat(buffers.bind(gone, null, 1000, 1, 0, AccessRights.REMOTE_READ)).isZero();
  }
}
