package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.daemon.ConnectedPrograms.completions;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RefusedException;
import org.rddp.client.types.Access;
import org.rddp.client.types.ListSubject;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.SendFlags;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.EpollSet;
import org.rddp.ipc.linux.SharedMemory;
import org.rddp.ipc.linux.SystemCall;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.linux.WakeSocket;
import org.rddp.ipc.ring.PolledCompletion;
import org.rddp.ipc.ring.ProgramRings;

/**
 * A program hands over descriptors whose close(2) waits, or has so many waiters on its sockets that
 * waking them takes long. Nobody else has to wait for that.
 */
@Timeout(120)
class HostileDescriptorsTest {
  private static final SystemCall SEND = SystemCall.bind("send", "l:illi");

  /** Memory of this size is not cut from a larger one. */
  private static final long LARGE = 2 << 20;

  /** Sends and receives a message, and opens a session, each on every interface. */
  private static void exchange(ConnectedPrograms programs) {
    try (MemoryRegion sent = programs.here.allocate(64);
        MemoryRegion received = programs.there.allocate(64, Access.LOCAL_WRITE)) {
      assertThat(programs.in.postReceive(1, received, 0, 64)).isTrue();
      assertThat(programs.out.postSend(2, sent, 0, 64)).isTrue();
      assertThat(completions(programs.there, 1)).containsExactly("receive 1 SUCCESS 64");
      assertThat(completions(programs.here, 1)).containsExactly("send 2 SUCCESS 64");
      programs.daemon.connect("one").close();
      programs.daemon.connect("two").close();
    }
  }

  /** Others are served although a descriptor of a program is being released all the time. */
  private static void exchangeWhileReleasing(ConnectedPrograms programs) {
    awaitReleasing();
    exchange(programs);
    awaitReleasing();
  }

  private static void awaitReleasing() {
    TestDaemon.await(() -> HeldDescriptor.in(CLOSING).size() == 1, "a descriptor is released");
  }

  private static final Set<String> CLOSING = Set.of("org.rddp.ipc.linux.Descriptor.close");
  private static final Set<String> CLEARING = Set.of("org.rddp.ipc.linux.WakeSocket.clear");

  /** What a program sends. */
  private interface Sending {
    void run() throws IOException;
  }

  /**
   * Begins a session, and sends while the daemon's thread for it waits: so the daemon's descriptor
   * is the last one when the thread receives it.
   */
  private static void sendWhileHeld(RawProgram hostile, Sending sending) throws IOException {
    DaemonMessage.Welcome welcome = hostile.hello("one");
    try (SharedMemory memory = share(hostile, welcome);
        WakeSocket signals = new WakeSocket(welcome.event());
        HeldDescriptor held = new HeldDescriptor()) {
      held.passTo(welcome.event());
      ProgramRings rings = new ProgramRings(memory.segment(), signals::signal);
      requestCompletion(rings);
      // The thread takes the signals when the engine has counted some.
      while (HeldDescriptor.in(CLEARING).isEmpty()) {
        if (isCompleted(rings)) {
          LockSupport.parkNanos(1_000_000);
          requestCompletion(rings);
        }
      }
      sending.run();
    }
  }

  @Test
  void shouldServeOthersWhileItClosesADescriptorThatIsNoMemory() throws Exception {
    try (ConnectedPrograms programs = new ConnectedPrograms();
        HeldDescriptor held = new HeldDescriptor();
        RawProgram hostile = new RawProgram(programs.daemon.socket())) {
      sendWhileHeld(
          hostile,
          () -> {
            hostile.socket().send(new ProgramMessage.AdoptMemory(100, held.descriptor()));
            held.descriptor().close();
          });
      exchangeWhileReleasing(programs);
      held.release();
      assertThat(hostile.receive()).isInstanceOf(DaemonMessage.Refused.class);
    }
  }

  /** Serves others while the daemon closes a descriptor in a message that is none. */
  private static void serveOthers(int messagesBefore) throws Exception {
    try (ConnectedPrograms programs = new ConnectedPrograms();
        HeldDescriptor held = new HeldDescriptor();
        RawProgram hostile = new RawProgram(programs.daemon.socket())) {
      sendWhileHeld(
          hostile,
          () -> {
            for (int i = 0; i < messagesBefore; i++) {
              hostile.socket().send(new ProgramMessage.CloseSession(100 + i));
            }
            held.passTo(hostile.socket().descriptor());
          });
      exchangeWhileReleasing(programs);
    }
  }

  @Test
  void shouldServeOthersWhileItClosesADescriptorOfAMalformedMessage() throws Exception {
    serveOthers(0);
  }

  @Test
  void shouldServeOthersWhileItClosesASocketWithMessagesThatItHasNotRead() throws Exception {
    // As many as are received before the first is handled.
    serveOthers(16);
  }

  @Test
  void shouldDropAllMessagesThatItHasNotReadWhenASessionEnds() throws Exception {
    // More than are received at a time.
    serveOthers(60);
  }

  @Test
  void shouldEndAProgramThatFreesAMemoryBeforeItReceivesItsDescriptor() throws Exception {
    try (ConnectedPrograms programs = new ConnectedPrograms();
        RawProgram hostile = new RawProgram(programs.daemon.socket())) {
      sendWhileHeld(
          hostile,
          () -> {
            // The second reply with a descriptor waits until the first has been received.
            hostile.socket().send(new ProgramMessage.AllocateMemory(100, LARGE));
            hostile.socket().send(new ProgramMessage.AllocateMemory(101, LARGE));
            hostile.socket().send(new ProgramMessage.FreeMemory(102, 2, 0));
          });
      TestDaemon.await(
          () ->
              programs.here.list(ListSubject.SESSIONS).stream()
                  .anyMatch(session -> session.contains("\"memory_octets\":" + LARGE)),
          "the second memory is free");
      hostile.receive().closeDescriptors();
      assertThatThrownBy(hostile::receive).isInstanceOf(EOFException.class);
      TestDaemon.await(
          () -> programs.daemon.log().contains("was freed before it could be sent"),
          "the log says why");
      assertThat(programs.daemon.log()).doesNotContain("internal error");
      exchange(programs);
    }
  }

  @Test
  void shouldServeOthersWhileItReleasesADescriptorOfTheWakeUpSocket() throws Exception {
    try (ConnectedPrograms programs = new ConnectedPrograms();
        HeldDescriptor held = new HeldDescriptor();
        RawProgram hostile = new RawProgram(programs.daemon.socket())) {
      DaemonMessage.Welcome welcome = begin(hostile);
      held.passTo(welcome.event());
      welcome.event().close();
      exchange(programs);
      hostile.socket().close();
      exchangeWhileReleasing(programs);
    }
  }

  private static DaemonMessage.Welcome begin(RawProgram program) throws IOException {
    DaemonMessage.Welcome welcome = program.hello("one");
    share(program, welcome).close();
    return welcome;
  }

  private static SharedMemory share(RawProgram program, DaemonMessage.Welcome welcome)
      throws IOException {
    SharedMemory rings = SharedMemory.map(welcome.rings());
    rings.forbidHoles();
    assertThat(program.request(number -> new ProgramMessage.ShareMemory(number, 0)))
        .isInstanceOf(DaemonMessage.Done.class);
    return rings;
  }

  /** Nothing could limit how many such descriptors the daemon has. */
  @Test
  void shouldTakeNoDescriptorsOfAProgramWithoutASession() throws Exception {
    try (TestDaemon daemon = new TestDaemon();
        RawProgram hostile = new RawProgram(daemon.socket())) {
      boolean kernelCanRefuse = HeldDescriptor.canRefuse();
      assertThat(HeldDescriptor.mayPass(hostile.socket().descriptor())).isEqualTo(!kernelCanRefuse);
    }
  }

  @Test
  void shouldCountASessionUntilItsDescriptorsAreClosed() throws Exception {
    String limits = "[limits]\nsessions = 1\nuser-share = 100\nprocess-share = 100\n";
    try (TestDaemon daemon = new TestDaemon(limits);
        HeldDescriptor held = new HeldDescriptor()) {
      try (RawProgram hostile = new RawProgram(daemon.socket())) {
        sendWhileHeld(hostile, () -> held.passTo(hostile.socket().descriptor()));
      }
      awaitReleasing();
      assertThatThrownBy(() -> daemon.connect("one")).isInstanceOf(RefusedException.class);
      held.release();
      TestDaemon.await(() -> isFree(daemon), "the session is free");
    }
  }

  private static boolean isFree(TestDaemon daemon) {
    try (Rddp session = daemon.connect("one")) {
      return session != null;
    } catch (RefusedException e) {
      return false;
    }
  }

  @Test
  void shouldEndAlthoughADescriptorIsNotClosed() throws Exception {
    TestDaemon daemon = new TestDaemon();
    try (HeldDescriptor held = new HeldDescriptor();
        RawProgram hostile = new RawProgram(daemon.socket())) {
      sendWhileHeld(hostile, () -> held.passTo(hostile.socket().descriptor()));
      awaitReleasing();
      daemon.close();
      List<Thread> waiting = HeldDescriptor.threadsIn(CLOSING);
      assertThat(waiting).as("still waiting").hasSize(1);
      List<Throwable> failures = new CopyOnWriteArrayList<>();
      waiting.getFirst().setUncaughtExceptionHandler((thread, cause) -> failures.add(cause));
      held.release();
      waiting.getFirst().join();
      assertThat(failures).isEmpty();
    }
  }

  /** Wait-queue entries at a descriptor, which the kernel walks whenever it becomes readable. */
  private static final class Waiters implements AutoCloseable {
    private static final int NUMBERS = 200;
    private static final int SETS = 400;

    private final List<Descriptor> numbers = new ArrayList<>();
    private final List<EpollSet> sets = new ArrayList<>();

    Waiters(Descriptor watched) throws SystemCallException {
      for (int i = 0; i < NUMBERS; i++) {
        numbers.add(watched.duplicate());
      }
      for (int i = 0; i < SETS; i++) {
        sets.add(EpollSet.of(numbers.toArray(Descriptor[]::new)));
      }
    }

    @Override
    public void close() {
      sets.forEach(EpollSet::close);
      numbers.forEach(Descriptor::close);
    }
  }

  private static final Set<String> SIGNALLING = Set.of("org.rddp.ipc.linux.WakeSocket.signal");

  @Test
  void shouldWakeAUsersProgramsOutsideOfTheEngineOnceThatHasTakenLong() throws Exception {
    try (TestDaemon daemon = new TestDaemon()) {
      assertThat(seenWaking(daemon)).allMatch(name -> name.startsWith("rddp-program"));
      assertThat(daemon.log()).containsOnlyOnce(SLOW);
      // A later session of the user, from its start.
      assertThat(seenWaking(daemon)).allMatch(name -> name.startsWith("rddp-program"));
      assertThat(daemon.log()).containsOnlyOnce(SLOW);
    }
  }

  private static final String SLOW = "waking the program took longer than 1 ms";

  /** The threads that wake a program with many waiters, after that has taken long once. */
  private static List<String> seenWaking(TestDaemon daemon) throws Exception {
    try (RawProgram hostile = new RawProgram(daemon.socket())) {
      DaemonMessage.Welcome welcome = hostile.hello("one");
      try (SharedMemory memory = share(hostile, welcome);
          Waiters waiters = new Waiters(welcome.event())) {
        ProgramRings rings = new ProgramRings(memory.segment(), () -> {});
        while (!daemon.log().contains(SLOW)) {
          seenWaking(rings);
        }
        List<String> waking = new ArrayList<>();
        while (waking.isEmpty()) {
          waking.addAll(seenWaking(rings));
        }
        assertThat(waiters.sets).hasSize(Waiters.SETS);
        return waking;
      } finally {
        welcome.event().close();
      }
    }
  }

  private static List<String> seenWaking(ProgramRings rings) {
    List<String> waking = new ArrayList<>();
    requestCompletion(rings);
    while (waking.isEmpty() && !isCompleted(rings)) {
      waking.addAll(HeldDescriptor.in(SIGNALLING));
    }
    waking.addAll(HeldDescriptor.in(SIGNALLING));
    return waking;
  }

  /** A request that is refused at once, of whose completion the program wants to be woken. */
  private static void requestCompletion(ProgramRings rings) {
    rings.requestSignal();
    rings.claim(1).begin(Opcode.SEND, SendFlags.SIGNALLED, 1, 7).memory(1, 0, 1).submit();
  }

  private static boolean isCompleted(ProgramRings rings) {
    boolean completed = rings.poll(new PolledCompletion());
    if (completed) {
      rings.retire(1);
      rings.publish();
    }
    return completed;
  }

  private static final Set<String> TALKING =
      Set.of(
          "org.rddp.ipc.control.ControlSocket.send",
          "org.rddp.ipc.control.ControlSocket.receiveFromProgram");

  @Test
  void shouldAnswerAProgramWithManyWaitersOutsideOfTheControlThread() throws Exception {
    try (TestDaemon daemon = new TestDaemon();
        RawProgram hostile = new RawProgram(daemon.socket());
        Waiters waiters = new Waiters(hostile.socket().descriptor())) {
      hostile.begin("one");
      List<String> talking = new ArrayList<>();
      while (talking.isEmpty()) {
        hostile.socket().send(new ProgramMessage.OpenCounters(100));
        DaemonMessage reply = null;
        while (reply == null) {
          talking.addAll(HeldDescriptor.in(TALKING));
          reply = hostile.socket().receiveFromDaemon();
        }
        reply.closeDescriptors();
      }
      assertThat(talking).allMatch(name -> name.startsWith("rddp-program"));
      assertThat(waiters.sets).hasSize(Waiters.SETS);
    }
  }

  @Test
  void shouldNotWaitForAProgramThatFillsItsWakeUpSocket() throws Exception {
    try (ConnectedPrograms programs = new ConnectedPrograms();
        RawProgram hostile = new RawProgram(programs.daemon.socket());
        Arena arena = Arena.ofConfined()) {
      DaemonMessage.Welcome welcome = begin(hostile);
      MemorySegment octets = arena.allocate(4096);
      long sent = 1;
      while (sent > 0) {
        sent = SEND.attempt(welcome.event().number(), octets.address(), 4096, 0x4040);
      }
      exchange(programs);
      welcome.event().close();
    }
  }
}
