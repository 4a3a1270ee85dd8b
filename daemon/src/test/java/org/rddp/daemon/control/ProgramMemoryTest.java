package org.rddp.daemon.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rddp.client.types.Reason;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.ipc.linux.SharedMemory;

/** Memory requests of hostile programs: numbers, offsets and descriptors. */
class ProgramMemoryTest {
  private static final int PAGE = 4096;
  private static final int STAG = 77;

  private final Quota daemonOctets = new Quota("octets", 1 << 30, null);
  private final Quota daemonMappings = new Quota("memories", 5, null);
  private final MappingThreads threads =
      new MappingThreads(
          Runnable::run, Runnable::run, Runnable::run, Runnable::run, Runnable::run, () -> {});
  private final ProgramMemory memory =
      new ProgramMemory(
          new Quota("octets", 64 << 20, daemonOctets),
          new Quota("memories", 3, daemonMappings),
          threads);

  @AfterEach
  void shouldReturnAllQuotas() {
    memory.close(() -> {});
    assertThat(daemonOctets.used()).isZero();
    assertThat(daemonMappings.used()).isZero();
  }

  private static void refused(Reason reason, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            RequestRefusedException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  private int adopt(long octets) throws Exception {
    try (SharedMemory theirs = SharedMemory.create("theirs", octets)) {
      int number = memory.adopt(new AdoptedFiles().map(theirs.descriptor().duplicate()));
      theirs.forbidHoles();
      share(number);
      return number;
    }
  }

  private ProgramMemory.Piece allocate(long octets) throws Exception {
    ProgramMemory.Piece piece = memory.allocate(octets);
    if (piece.descriptor() != null) {
      try (SharedMemory theirs = SharedMemory.map(piece.descriptor().duplicate())) {
        theirs.forbidHoles();
      }
      share(piece.memory());
    }
    return piece;
  }

  private void share(int number) throws RequestRefusedException {
    memory.share(number, refusal -> assertThat(refusal).isNull());
  }

  private void free(int number, long offset) throws RequestRefusedException {
    boolean[] freed = new boolean[1];
    memory.free(number, offset, () -> freed[0] = true);
    assertThat(freed).containsExactly(true);
  }

  @Test
  void shouldNotRegisterMemoryIntoWhichAHoleCanBePunched() throws Exception {
    ProgramMemory.Piece piece = memory.allocate(PAGE);
    refused(Reason.STATE, () -> memory.resolve(piece.memory(), piece.offset(), PAGE));
    if (!SharedMemory.canBeImmutable()) {
      refused(Reason.UNSAFE_MEMORY, () -> share(piece.memory()));
      refused(Reason.STATE, () -> memory.resolve(piece.memory(), piece.offset(), PAGE));
      try (SharedMemory theirs = SharedMemory.map(piece.descriptor().duplicate())) {
        theirs.forbidHoles();
      }
    }
    share(piece.memory());
    assertThat(memory.resolve(piece.memory(), piece.offset(), PAGE)).isNotZero();
    refused(Reason.STATE, () -> share(piece.memory()));
    refused(Reason.NOT_FOUND, () -> share(piece.memory() + 1));
  }

  /** Threads of a program register and free pieces of one memory at the same time. */
  @Test
  void shouldFreeAPieceWhileAnotherOneOfItsMemoryIsBeingRegistered() throws Exception {
    ProgramMemory.Piece first = allocate(PAGE);
    ProgramMemory.Piece second = allocate(PAGE);
    assertThat(second.memory()).isEqualTo(first.memory());
    memory.resolve(first.memory(), first.offset(), PAGE);
    free(second.memory(), second.offset());
    refused(Reason.STATE, () -> memory.free(first.memory(), first.offset(), () -> {}));
    memory.registered(0, first.memory(), first.offset(), PAGE);
    free(first.memory(), first.offset());
  }

  /** Each of them keeps a descriptor of the daemon open. */
  @Test
  void shouldLimitTheMemoriesThatAreNotShared() throws Exception {
    ProgramMemory many =
        new ProgramMemory(
            new Quota("octets", 1 << 30, null), new Quota("memories", 99, null), threads);
    int last = 0;
    for (int i = 0; i < 8; i++) {
      last = many.allocate(2 << 20).memory();
    }
    refused(Reason.STATE, () -> many.allocate(2 << 20));
    try (SharedMemory theirs = SharedMemory.create("theirs", PAGE)) {
      refused(
          Reason.STATE, () -> many.adopt(new AdoptedFiles().map(theirs.descriptor().duplicate())));
    }
    many.free(last, 0, () -> {});
    many.allocate(2 << 20);
    many.close(() -> {});
  }

  /** Otherwise the slab would be unmapped with its last piece while the STag still refers to it. */
  @Test
  @Tag("DDP-8.3-04")
  @Tag("RDMAP-8.1.2-04")
  @Tag("DDP-8.3.2-04")
  void shouldNotRegisterARangeBeyondOnePiece() throws Exception {
    ProgramMemory.Piece first = allocate(PAGE);
    ProgramMemory.Piece second = allocate(PAGE);
    assertThat(second.memory()).isEqualTo(first.memory());

    refused(Reason.INVALID, () -> memory.resolve(first.memory(), 2 * PAGE, PAGE));
    refused(Reason.INVALID, () -> memory.resolve(first.memory(), first.offset(), 2 * PAGE));
    refused(Reason.INVALID, () -> memory.resolve(first.memory(), -1, PAGE));
    refused(Reason.INVALID, () -> memory.resolve(first.memory(), 0, 0));
    refused(Reason.INVALID, () -> memory.resolve(first.memory(), 1, Long.MAX_VALUE));
    refused(Reason.NOT_FOUND, () -> memory.resolve(first.memory() + 1, 0, PAGE));

    free(first.memory(), first.offset());
    refused(Reason.INVALID, () -> memory.resolve(first.memory(), first.offset(), 1));
    assertThat(memory.resolve(second.memory(), second.offset(), PAGE)).isNotZero();
  }

  @Test
  @Tag("DDP-8.3-04")
  @Tag("RDMAP-8.1.2-04")
  @Tag("DDP-8.3.2-04")
  void shouldNotRegisterBeyondAdoptedMemory() throws Exception {
    int number = adopt(100);
    refused(Reason.INVALID, () -> memory.resolve(number, 0, 101));
    refused(Reason.INVALID, () -> memory.resolve(number, 1, 100));
    refused(Reason.INVALID, () -> memory.resolve(number, Long.MAX_VALUE, 1));
    assertThat(memory.resolve(number, 1, 99)).isNotZero();
  }

  @Test
  void shouldKeepAPieceWhileAnStagRefersToIt() throws Exception {
    ProgramMemory.Piece piece = allocate(2 * PAGE);
    memory.resolve(piece.memory(), piece.offset() + PAGE, 8);
    refused(Reason.STATE, () -> free(piece.memory(), piece.offset()));

    memory.registered(STAG, piece.memory(), piece.offset() + PAGE, 8);
    refused(Reason.STATE, () -> free(piece.memory(), piece.offset()));

    memory.deregistered(STAG);
    free(piece.memory(), piece.offset());
    assertThat(daemonMappings.used()).isZero();
  }

  @Test
  void shouldFreeAPieceWhoseRegistrationFailed() throws Exception {
    int number = adopt(PAGE);
    memory.resolve(number, 0, 1);
    memory.registered(0, number, 0, 1);
    free(number, 0);
    assertThat(daemonMappings.used()).isZero();
  }

  @Test
  @Tag("RDMAP-8.1.2-02")
  @Tag("DDP-8.3.2-02")
  @Tag("DDP-8.3.2-05")
  void shouldCountAdoptedMemoriesInWholePages() throws Exception {
    int first = adopt(1);
    adopt(PAGE + 1);
    assertThat(daemonOctets.used()).isEqualTo(3 * PAGE);
    allocate(1);
    assertThat(daemonMappings.used()).isEqualTo(3);

    refused(Reason.LIMIT, () -> adopt(1));
    refused(Reason.LIMIT, () -> allocate(2 << 20));
    allocate(PAGE); // a piece of the memory that is there
    free(first, 0);
    adopt(1);
  }

  @Test
  void shouldCountNothingIfTheQuotaOfOctetsIsExceeded() throws Exception {
    refused(Reason.LIMIT, () -> allocate(65 << 20));
    refused(Reason.LIMIT, () -> adopt(65 << 20));
    assertThat(daemonMappings.used()).isZero();
  }

  @Test
  @Tag("RDMAP-8.1.2-02")
  @Tag("DDP-8.3.2-02")
  void shouldLimitTheMemoriesOfAllProgramsTogether() throws Exception {
    ProgramMemory other =
        new ProgramMemory(
            new Quota("octets", 64 << 20, daemonOctets),
            new Quota("memories", 9, daemonMappings),
            threads);
    for (int i = 0; i < 3; i++) {
      adopt(1);
    }
    other.allocate(2 << 20);
    other.allocate(2 << 20);
    refused(Reason.LIMIT, () -> other.allocate(2 << 20));
    other.close(() -> {});
  }

  /** Without this, each request would look at every slab of a program that has thousands. */
  @Test
  void shouldLookAtAFullSlabOnceOnly() {
    RoomySlabs roomy = new RoomySlabs(256);
    roomy.add(1);
    roomy.add(2);
    assertThat(roomy.first(3)).isEqualTo(1);
    roomy.full(1, 3);
    assertThat(roomy.first(4)).as("as large, rounded up").isEqualTo(2);
    assertThat(roomy.first(2)).as("smaller").isEqualTo(1);
    roomy.full(2, 4);
    assertThat(roomy.first(3)).isZero();
    roomy.add(1);
    assertThat(roomy.first(3)).as("something was freed").isEqualTo(1);
    roomy.remove(1);
    assertThat(roomy.first(3)).isZero();
    assertThat(roomy.first(256)).isEqualTo(2);
  }

  @Test
  void shouldUseAgainWhatWasFreedInAFullSlab() throws Exception {
    ProgramMemory.Piece first = allocate(1 << 19);
    for (int i = 0; i < 7; i++) {
      assertThat(allocate(1 << 19).memory()).isEqualTo(first.memory());
    }
    assertThat(allocate(PAGE).memory()).as("another slab").isNotEqualTo(first.memory());
    free(first.memory(), first.offset());
    ProgramMemory.Piece again = allocate(1 << 19);
    ProgramMemory.Piece more = allocate(1 << 19);
    assertThat(List.of(again.memory(), more.memory())).contains(first.memory());
  }
}
