package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.daemon.ConnectedPrograms.completions;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.MemoryRegion;
import org.rddp.client.types.Access;
import org.rddp.client.types.Reason;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.control.RegionSettings;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.Errno;
import org.rddp.ipc.linux.SharedMemory;
import org.rddp.ipc.linux.SystemCall;

/**
 * A program that punches holes into memory that it shares with the daemon: the engine's thread
 * would wait for the whole hole if it touched it meanwhile, for as long as the program likes. Here
 * the daemon cannot make its memory immutable.
 */
@Timeout(60)
class SharedMemoryHolesTest {
  private static final int PUNCH_HOLE_KEEPING_THE_SIZE = 3;
  private static final int MADV_REMOVE = 9;
  private static final int RIGHTS = Access.bits(Access.LOCAL_WRITE, Access.REMOTE_WRITE);
  private static final int READ_ONLY = 0;
  private static final SystemCall OPEN = SystemCall.bind("open", "i:li");
  private static final SystemCall FALLOCATE = SystemCall.bind("fallocate", "i:iill");
  private static final SystemCall MADVISE = SystemCall.bind("madvise", "i:lli");

  private ConnectedPrograms programs;
  private MemoryRegion source;
  private MemoryRegion sink;
  private RawProgram hostile;
  private int sent;

  @BeforeEach
  void connect() throws Exception {
    programs = WithoutImmutable.call(ConnectedPrograms::new);
    source = programs.here.allocate(64);
    sink = programs.there.allocate(64, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    hostile = new RawProgram(programs.daemon.socket());
  }

  @AfterEach
  void shouldServeTheHonestPrograms() {
    messagesGoOn();
    hostile.close();
    programs.close();
  }

  private void messagesGoOn() {
    assertThat(programs.in.postReceive(++sent, sink, 0, 64)).isTrue();
    assertThat(programs.out.postSend(sent, source, 0, 64)).isTrue();
    assertThat(completions(programs.there, 1)).containsExactly("receive " + sent + " SUCCESS 64");
    assertThat(completions(programs.here, 1)).containsExactly("send " + sent + " SUCCESS 64");
  }

  /** A mapping of the hostile program, and a descriptor that it keeps. */
  private record Kept(SharedMemory mapping, Descriptor descriptor) {
    static Kept of(Descriptor passed) throws IOException {
      return new Kept(SharedMemory.map(passed), passed.duplicate());
    }

    /** Punches a hole in both ways; whether the kernel did. */
    boolean punch() {
      long octets = mapping.length();
      long punched = FALLOCATE.attempt(descriptor.number(), PUNCH_HOLE_KEEPING_THE_SIZE, 0, octets);
      long removed = MADVISE.attempt(mapping.address(), octets, MADV_REMOVE);
      assertThat(punched).isIn(0L, (long) -Errno.EPERM).isEqualTo(removed);
      return punched == 0;
    }

    void close() {
      mapping.close();
      descriptor.close();
    }
  }

  private Reason refusedShare(int memory) throws IOException {
    return hostile.refusal(number -> new ProgramMessage.ShareMemory(number, memory));
  }

  private void share(int memory) throws IOException {
    assertThat(hostile.request(number -> new ProgramMessage.ShareMemory(number, memory)))
        .isInstanceOf(DaemonMessage.Done.class);
  }

  /** Holes before the memory is shared concern nobody: the daemon does not touch it. */
  private void shouldShareOnlyWithoutHoles(int memory, Kept kept) throws IOException {
    assertThat(kept.punch()).as("before").isTrue();
    assertThat(refusedShare(memory)).isEqualTo(Reason.UNSAFE_MEMORY);
    messagesGoOn();
    kept.mapping().forbidHoles();
    share(memory);
    assertThat(kept.punch()).as("after").isFalse();
  }

  private void begin() throws IOException {
    Kept rings = Kept.of(hostile.hello("one").rings());
    rings.mapping().forbidHoles();
    share(ProgramMessage.ShareMemory.RINGS);
    rings.close();
  }

  /** No seal forbids MADV_COLLAPSE, so the log tells the administrator. */
  @Test
  void shouldLogThatProgramsCanCollapseMemory() throws IOException {
    Path setting = Path.of("/sys/kernel/mm/transparent_hugepage/shmem_enabled");
    boolean denied = !Files.exists(setting) || Files.readString(setting).contains("[deny]");
    assertThat(programs.daemon.log().contains("MADV_COLLAPSE")).isEqualTo(!denied);
  }

  @Test
  void shouldRefuseHolesInRings() throws IOException {
    Kept rings = Kept.of(hostile.hello("one").rings());
    assertThat(hostile.refusal(number -> new ProgramMessage.AllocateMemory(number, 4096)))
        .as("before the session begins")
        .isEqualTo(Reason.STATE);
    shouldShareOnlyWithoutHoles(ProgramMessage.ShareMemory.RINGS, rings);
    rings.close();
  }

  @Test
  void shouldRefuseHolesInMemoryFromTheDaemon() throws IOException {
    begin();
    for (long octets : new long[] {4096, 8 << 20}) {
      DaemonMessage.MemoryAllocated allocated =
          (DaemonMessage.MemoryAllocated)
              hostile.request(number -> new ProgramMessage.AllocateMemory(number, octets));
      Kept kept = Kept.of(allocated.descriptor());
      shouldNotRegister(allocated.memory());
      shouldShareOnlyWithoutHoles(allocated.memory(), kept);
      shouldRegister(allocated.memory());
      assertThat(kept.punch()).isFalse();
      kept.close();
    }
  }

  @Test
  void shouldRefuseHolesInTheProgramsOwnMemory() throws IOException {
    begin();
    SharedMemory own = SharedMemory.create("own", 1 << 20);
    DaemonMessage.MemoryAdopted adopted =
        (DaemonMessage.MemoryAdopted)
            hostile.request(number -> new ProgramMessage.AdoptMemory(number, own.descriptor()));
    Kept kept = new Kept(own, own.descriptor().duplicate());
    shouldNotRegister(adopted.memory());
    shouldShareOnlyWithoutHoles(adopted.memory(), kept);
    shouldRegister(adopted.memory());
    assertThat(kept.punch()).isFalse();
    kept.close();
  }

  private int adopt(RawProgram program, Descriptor descriptor) throws IOException {
    return ((DaemonMessage.MemoryAdopted)
            program.request(number -> new ProgramMessage.AdoptMemory(number, descriptor)))
        .memory();
  }

  private Reason refusedAdoption(RawProgram program, Descriptor descriptor) throws IOException {
    return program.refusal(number -> new ProgramMessage.AdoptMemory(number, descriptor));
  }

  private static Descriptor readOnly(Descriptor descriptor) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      String path = "/proc/self/fd/" + descriptor.number();
      return Descriptor.of(OPEN.call(arena.allocateFrom(path).address(), READ_ONLY));
    }
  }

  /** With F_SEAL_FUTURE_WRITE nobody can map it anew, the daemon included. */
  @Test
  void shouldServeSeveralProgramsThatShareMemory() throws IOException {
    begin();
    try (SharedMemory own = SharedMemory.create("own", 1 << 20);
        RawProgram other = new RawProgram(programs.daemon.socket());
        RawProgram third = new RawProgram(programs.daemon.socket())) {
      other.begin("two");
      third.begin("one");
      int first = adopt(hostile, own.descriptor());
      own.forbidHoles();
      share(first);
      shouldRegister(first);

      try (Descriptor readOnly = readOnly(own.descriptor())) {
        assertThat(refusedAdoption(other, readOnly)).isEqualTo(Reason.UNSAFE_MEMORY);
      }
      int second = adopt(other, own.descriptor());
      assertThat(other.request(number -> new ProgramMessage.ShareMemory(number, second)))
          .isInstanceOf(DaemonMessage.Done.class);
      // The mapping stays as long as one of them has it.
      assertThat(hostile.request(ProgramMessage.CloseSession::new))
          .isInstanceOf(DaemonMessage.Done.class);
      assertThat(
              other.request(number ->
                  new ProgramMessage.Register(
                      number, second, 0, 4096, new RegionSettings(RIGHTS, 0))))
          .isInstanceOf(DaemonMessage.Registered.class);
      adopt(third, own.descriptor());
      assertThat(other.request(ProgramMessage.CloseSession::new))
          .isInstanceOf(DaemonMessage.Done.class);
      assertThat(third.request(ProgramMessage.CloseSession::new))
          .isInstanceOf(DaemonMessage.Done.class);
      try (RawProgram last = new RawProgram(programs.daemon.socket())) {
        last.begin("one");
        assertThat(refusedAdoption(last, own.descriptor())).isEqualTo(Reason.UNSAFE_MEMORY);
      }
    }
  }

  @Test
  void shouldRefuseHolesInACaptureRing() throws IOException {
    begin();
    DaemonMessage.CaptureStarted started =
        (DaemonMessage.CaptureStarted)
            hostile.request(number -> new ProgramMessage.StartCapture(number, 1 << 16, 64, false));
    Kept kept = Kept.of(started.descriptor());
    shouldShareOnlyWithoutHoles(ProgramMessage.ShareMemory.CAPTURE, kept);
    messagesGoOn();
    assertThat(kept.punch()).isFalse();
    kept.close();
  }

  @Test
  void shouldRefuseHolesInCounters() throws IOException {
    begin();
    DaemonMessage.CountersOpened opened =
        (DaemonMessage.CountersOpened) hostile.request(ProgramMessage.OpenCounters::new);
    try (Descriptor counters = opened.descriptor();
        SharedMemory mapping = SharedMemory.mapForReading(counters.duplicate())) {
      long octets = mapping.length();
      assertThat(FALLOCATE.attempt(counters.number(), PUNCH_HOLE_KEEPING_THE_SIZE, 0, octets))
          .isEqualTo(-Errno.EPERM);
    }
  }

  @Test
  void shouldRefuseUnknownRights() throws IOException {
    begin();
    SharedMemory own = SharedMemory.create("own", 4096);
    int memory =
        ((DaemonMessage.MemoryAdopted)
                hostile.request(number -> new ProgramMessage.AdoptMemory(number, own.descriptor())))
            .memory();
    own.forbidHoles();
    share(memory);
    for (int rights : new int[] {64, RIGHTS | 1 << 31}) {
      assertThat(
              hostile.refusal(number ->
                  new ProgramMessage.Register(
                      number, memory, 0, 4096, new RegionSettings(rights, 0))))
          .isEqualTo(Reason.INVALID);
    }
    shouldRegister(memory);
    own.close();
  }

  /** Such memory could never be made safe. */
  @Test
  void shouldRefuseMemoryToWhichNoSealCanBeAdded() throws IOException {
    begin();
    try (SharedMemory own = SharedMemory.create("own", 4096)) {
      SystemCall.bind("fcntl", "i:ii.i").call(own.descriptor().number(), 1033, 1);
      DaemonMessage.Refused refused =
          (DaemonMessage.Refused)
              hostile.request(number -> new ProgramMessage.AdoptMemory(number, own.descriptor()));
      assertThat(refused.reason()).isEqualTo(Reason.UNSAFE_MEMORY);
      assertThat(refused.text()).contains("leave F_SEAL_SEAL out");
    }
  }

  private void shouldNotRegister(int memory) throws IOException {
    assertThat(hostile.refusal(number -> register(number, memory))).isEqualTo(Reason.STATE);
  }

  private void shouldRegister(int memory) throws IOException {
    assertThat(hostile.request(number -> register(number, memory)))
        .isInstanceOf(DaemonMessage.Registered.class);
  }

  private static ProgramMessage register(int number, int memory) {
    return new ProgramMessage.Register(number, memory, 0, 4096, new RegionSettings(RIGHTS, 0));
  }
}
