package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.daemon.ConnectedPrograms.TIMEOUT;
import static org.rddp.daemon.ConnectedPrograms.TWO;
import static org.rddp.daemon.ConnectedPrograms.completions;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Connection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.Errno;
import org.rddp.ipc.linux.SharedMemory;
import org.rddp.ipc.linux.SystemCall;
import org.rddp.ipc.linux.SystemCallException;

/**
 * A program punches holes into memory that the engine uses, from a thread that hardly runs: at the
 * lowest priority (SCHED_IDLE), beside a thread that takes the whole core. Without the seal, an
 * engine that touches a hole waits until that thread has punched it.
 */
@Timeout(120)
class HoleAttackTest {
  private static final int OCTETS = 16 << 20;
  private static final int PIECE = 64 << 10;
  private static final int HONEST_MESSAGES = 500;
  private static final int SCHED_IDLE = 5;
  private static final int PUNCH_HOLE_KEEPING_THE_SIZE = 3;
  private static final int MADV_REMOVE = 9;
  private static final SystemCall FALLOCATE = SystemCall.bind("fallocate", "i:iill");
  private static final SystemCall MADVISE = SystemCall.bind("madvise", "i:lli");
  private static final SystemCall SETSCHEDULER = SystemCall.bind("sched_setscheduler", "i:iil");
  private static final SystemCall SETAFFINITY = SystemCall.bind("sched_setaffinity", "i:ill");

  private final AtomicLong refused = new AtomicLong();
  private final AtomicLong punched = new AtomicLong();
  private volatile boolean over;

  /** Lets the current thread run on the first core only, where the hog runs, too. */
  private static void pin() throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment cores = arena.allocateFrom(ValueLayout.JAVA_LONG, 1);
      SETAFFINITY.call(0, cores.byteSize(), cores.address());
    }
  }

  private void hog() throws SystemCallException {
    pin();
    while (!over) {
      Thread.onSpinWait();
    }
  }

  private void attack(SharedMemory... memories) throws SystemCallException {
    pin();
    try (Arena arena = Arena.ofConfined()) {
      SETSCHEDULER.call(0, SCHED_IDLE, arena.allocate(ValueLayout.JAVA_INT).address());
    }
    while (!over) {
      for (SharedMemory memory : memories) {
        long octets = memory.length();
        int file = memory.descriptor().number();
        count(FALLOCATE.attempt(file, PUNCH_HOLE_KEEPING_THE_SIZE, 0, octets));
        count(MADVISE.attempt(memory.address(), octets, MADV_REMOVE));
      }
    }
  }

  private void count(long result) {
    assertThat(result).isIn(0L, (long) -Errno.EPERM);
    (result == 0 ? punched : refused).incrementAndGet();
  }

  private interface Body {
    void run() throws Exception;
  }

  private static CompletableFuture<Void> start(Body body) {
    CompletableFuture<Void> end = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .start(() -> {
          try {
            body.run();
            end.complete(null);
          } catch (Throwable e) {
            end.completeExceptionally(e);
          }
        });
    return end;
  }

  @Test
  void shouldServeHonestProgramsWhileAnIdleThreadPunchesHoles() throws Exception {
    try (ConnectedPrograms programs = new ConnectedPrograms();
        RawProgram raw = new RawProgram(programs.daemon.socket());
        Rddp hostile = programs.daemon.connect("one");
        SharedMemory own = SharedMemory.create("own", OCTETS)) {
      SharedMemory rings = beginSession(raw);
      CompletableFuture<Void> attacker = start(() -> attack(own, rings));
      TestDaemon.await(() -> punched.get() > 0, "there are holes in memory that is not shared");
      CompletableFuture<Void> hog = start(this::hog);

      MemoryRegion source = hostile.register(own.descriptor().number(), Access.LOCAL_WRITE);
      long before = punched.get();
      exchange(programs, hostile, source);
      over = true;
      hog.join();
      attacker.join();

      // One call may have been on its way when the memory was sealed.
      assertThat(punched.get() - before).isLessThanOrEqualTo(1);
      assertThat(refused.get()).isPositive();
      rings.close();
    }
  }

  /** The rings of a session, which its engine reads in every turn. */
  private static SharedMemory beginSession(RawProgram raw) throws IOException {
    Descriptor passed = raw.hello("one").rings();
    SharedMemory rings = SharedMemory.map(passed);
    rings.forbidHoles();
    raw.request(number -> new ProgramMessage.ShareMemory(number, ProgramMessage.ShareMemory.RINGS));
    return rings;
  }

  /** The engine reads the hostile program's memory from end to end, again and again. */
  private static void exchange(ConnectedPrograms programs, Rddp hostile, MemoryRegion source) {
    MemoryRegion sink =
        programs.there.allocate(2L * PIECE, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    MemoryRegion message = programs.here.allocate(64);
    try (Listener listener = programs.there.listen(TWO.getPort() + 1)) {
      CompletableFuture<Connection> accepted =
          CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept());
      Connection writer = hostile.connect(listener.address(), PrivateData.NONE, TIMEOUT);
      accepted.join();
      for (int i = 0; i < HONEST_MESSAGES; i++) {
        long offset = (long) i * PIECE % OCTETS;
        assertThat(writer.postWrite(i, source, offset, PIECE, sink.stag(), sink.baseTo())).isTrue();
        assertThat(programs.in.postReceive(i, sink, PIECE, 64)).isTrue();
        assertThat(programs.out.postSend(i, message, 0, 64)).isTrue();
        assertThat(completions(programs.there, 1)).containsExactly("receive " + i + " SUCCESS 64");
        assertThat(completions(programs.here, 1)).containsExactly("send " + i + " SUCCESS 64");
        assertThat(completions(hostile, 1)).containsExactly("write " + i + " SUCCESS " + PIECE);
      }
    }
  }
}
