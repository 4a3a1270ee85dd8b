package org.rddp.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.client.types.Access;
import org.rddp.client.types.Reason;
import org.rddp.ipc.linux.EventFd;
import org.rddp.ipc.linux.SharedMemory;

@Timeout(60)
class MemoryRegionTest {
  @TempDir private Path directory;
  private FakeDaemon daemon;
  private Rddp session;

  @BeforeEach
  void start() throws IOException {
    Path socket = directory.resolve("rddpd.sock");
    daemon = FakeDaemon.start(socket);
    session = Rddp.connect(socket);
  }

  @AfterEach
  void stop() throws IOException {
    session.close();
    daemon.close();
  }

  @Test
  void shouldAllocateZeroedMemory() {
    try (MemoryRegion region = session.allocate(1000, Access.REMOTE_READ)) {
      assertThat(region.length()).isEqualTo(1000);
      assertThat(region.segment().byteSize()).isEqualTo(1000);
      assertThat(region.baseTo()).isZero();
      assertThat(region.stag()).isNotZero();
      assertThat(Access.REMOTE_READ.isIn(region.rights())).isTrue();
      assertThat(Access.LOCAL_WRITE.isIn(region.rights())).isFalse();
      assertThat(region.segment().mismatch(MemorySegment.ofArray(new byte[1000]))).isEqualTo(-1);
      region.segment().fill((byte) 1);
    }
  }

  @Test
  void shouldCutSmallRegionsFromOneMapping() throws IOException {
    List<MemoryRegion> regions = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      MemoryRegion region = session.allocate(100, Access.LOCAL_WRITE);
      region.segment().fill((byte) i);
      regions.add(region);
    }
    for (int i = 0; i < 20; i++) {
      byte[] octets = regions.get(i).segment().toArray(ValueLayout.JAVA_BYTE);
      assertThat(octets).containsOnly(i);
    }
    long first = regions.get(0).segment().address();
    assertThat(regions.get(19).segment().address() - first).isBetween(1900L, 4000L);
    regions.forEach(MemoryRegion::close);
    try (MemoryRegion again = session.allocate(100)) {
      again.segment().fill((byte) 1);
    }
  }

  @Test
  void shouldRefuseToLetPeersInvalidateWhatConnectionsShare() {
    MemoryRegion region = session.allocate(100, Access.LOCAL_WRITE);
    assertThatThrownBy(() -> session.allocate(100, Access.REMOTE_READ, Access.REMOTE_INVALIDATE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("for one connection");
    assertThatThrownBy(() -> region.register(0, 10, Access.REMOTE_INVALIDATE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("for one connection");
  }

  @Test
  void shouldThrowWhenMemoryIsUsedAfterItsRegionIsClosed() {
    MemoryRegion region = session.allocate(100, Access.LOCAL_WRITE);
    MemorySegment segment = region.segment();
    region.close();
    region.close();
    assertThatThrownBy(() -> segment.get(ValueLayout.JAVA_BYTE, 0))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> region.register(0, 1)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldThrowWhenMemoryIsUsedAfterItsSessionIsClosed() {
    MemoryRegion small = session.allocate(100);
    MemoryRegion large = session.allocate(1 << 20);
    session.close();
    assertThatThrownBy(() -> small.segment().set(ValueLayout.JAVA_BYTE, 0, (byte) 1))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> large.segment().fill((byte) 1))
        .isInstanceOf(IllegalStateException.class);
    small.close();
    large.close();
  }

  @Test
  void shouldRegisterAPartOfARegion() {
    try (MemoryRegion region = session.allocate(1000, Access.LOCAL_WRITE);
        MemoryRegion part = region.register(100, 50, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        MemoryRegion partOfPart = part.register(10, 5)) {
      assertThat(part.stag()).isNotEqualTo(region.stag());
      partOfPart.segment().fill((byte) 9);
      assertThat(region.segment().get(ValueLayout.JAVA_BYTE, 110)).isEqualTo((byte) 9);
      assertThat(region.segment().get(ValueLayout.JAVA_BYTE, 115)).isZero();
      assertThatThrownBy(() -> region.register(990, 11))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> region.register(-1, 2))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> region.register(1, Long.MAX_VALUE))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void shouldRegisterTheProgramsOwnMemory() throws IOException {
    try (SharedMemory own = SharedMemory.create("own", 8192);
        MemoryRegion region =
            session.register(own.descriptor().number(), Access.LOCAL_WRITE, Access.REMOTE_WRITE)) {
      assertThat(region.length()).isEqualTo(8192);
      own.segment().set(ValueLayout.JAVA_INT, 8000, 77);
      assertThat(region.segment().get(ValueLayout.JAVA_INT, 8000)).isEqualTo(77);
    }
    try (SharedMemory own = SharedMemory.create("own", 4096);
        MemoryRegion region =
            session.register(
                Path.of("/proc/self/fd/" + own.descriptor().number()), Access.LOCAL_WRITE)) {
      assertThat(region.length()).isEqualTo(4096);
    }
    assertThatThrownBy(() -> session.register(Path.of("/nowhere/memory")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("open /nowhere/memory for reading and writing: No such file");
    try (EventFd notMemory = EventFd.create()) {
      assertThatThrownBy(() -> session.register(notMemory.descriptor().number()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("memory refused");
    }
  }

  @Test
  void shouldNameTheLimitThatIsReached() {
    assertThatThrownBy(() -> session.allocate(1L << 34))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("memory of 17179869184 octets")
        .extracting(e -> ((RefusedException) e).reason())
        .isEqualTo(Reason.LIMIT);
  }

  @Test
  void shouldUnmapAllMemory() throws IOException {
    for (int i = 0; i < 50; i++) {
      session.allocate(1 << 20).close();
    }
    session.close();
    daemon.close();
    assertThat(java.nio.file.Files.readString(Path.of("/proc/self/maps")))
        .doesNotContain("/memfd:memory");
  }
}
