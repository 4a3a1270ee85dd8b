package org.rddp.dpdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

@RequiresDpdk
class MempoolTest {
  private static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
  private static final int BUFFERS = 63;
  private static final int ROOM = 128 + 1518;

  private final Arena arena = Arena.ofConfined();
  private final long array = arena.allocate(ValueLayout.JAVA_LONG, BUFFERS + 1).address();

  @BeforeAll
  static void initialise() {
    TestEal.init();
  }

  @AfterAll
  static void end() {
    Eal.cleanup();
  }

  @AfterEach
  void close() {
    arena.close();
  }

  @Test
  void shouldGiveAllOrNothing() {
    try (Mempool pool = Mempool.create("all", BUFFERS, 0, ROOM, -1)) {
      assertThat(pool.allocate(array, BUFFERS + 1)).isFalse();
      assertThat(pool.available()).isEqualTo(BUFFERS);
      assertThat(pool.allocate(array, BUFFERS)).isTrue();
      assertThat(pool.available()).isZero();
      assertThat(pool.allocate()).isZero();

      Mempool.free(array, BUFFERS);
      assertThat(pool.available()).isEqualTo(BUFFERS);
    }
  }

  @Test
  void shouldGiveBuffersAsTheLayoutSays() {
    try (Mempool pool = Mempool.create("layout", BUFFERS, 0, ROOM, -1)) {
      long mbuf = pool.allocate();

      assertThat(MEMORY.get(ValueLayout.JAVA_SHORT, mbuf + MbufLayout.REFCNT)).isEqualTo((short) 1);
      assertThat(MEMORY.get(ValueLayout.JAVA_SHORT, mbuf + MbufLayout.NB_SEGS))
          .isEqualTo((short) 1);
      assertThat(MEMORY.get(ValueLayout.JAVA_SHORT, mbuf + MbufLayout.DATA_OFF))
          .isEqualTo((short) MbufLayout.HEADROOM);
      assertThat(MEMORY.get(ValueLayout.JAVA_SHORT, mbuf + MbufLayout.DATA_LEN)).isZero();
      assertThat(MEMORY.get(ValueLayout.JAVA_INT, mbuf + MbufLayout.PKT_LEN)).isZero();
      assertThat(MEMORY.get(ValueLayout.JAVA_SHORT, mbuf + MbufLayout.BUF_LEN))
          .isEqualTo((short) ROOM);
      assertThat(MEMORY.get(ValueLayout.JAVA_LONG, mbuf + MbufLayout.POOL))
          .isEqualTo(pool.address());
      assertThat(MEMORY.get(ValueLayout.JAVA_LONG, mbuf + MbufLayout.NEXT)).isZero();
      Mempool.free(mbuf);
    }
  }

  @Test
  void shouldKeepABufferThatHasAnotherReference() {
    try (Mempool pool = Mempool.create("references", BUFFERS, 0, ROOM, -1)) {
      long mbuf = pool.allocate();
      MEMORY.set(ValueLayout.JAVA_SHORT, mbuf + MbufLayout.REFCNT, (short) 2);

      Mempool.free(mbuf);
      assertThat(pool.available()).isEqualTo(BUFFERS - 1);
      assertThat(MEMORY.get(ValueLayout.JAVA_SHORT, mbuf + MbufLayout.REFCNT)).isEqualTo((short) 1);

      Mempool.free(mbuf);
      assertThat(pool.available()).isEqualTo(BUFFERS);
    }
  }

  @Test
  void shouldSayThatMemoryIsMissing() {
    assertThatThrownBy(() -> Mempool.create("huge", 1 << 20, 0, ROOM, -1))
        .isInstanceOf(DpdkException.class)
        .hasMessageContaining("Cannot allocate memory")
        .hasMessageContaining("MiB")
        .hasMessageContaining("hugepages");
  }

  @Test
  void shouldRefuseANameInUse() {
    try (Mempool pool = Mempool.create("twice", BUFFERS, 0, ROOM, -1)) {
      assertThatThrownBy(() -> Mempool.create(pool.name(), BUFFERS, 0, ROOM, -1))
          .isInstanceOf(DpdkException.class)
          .hasMessageContaining("File exists")
          .hasMessageContaining("The name must be new");
    }
  }
}
