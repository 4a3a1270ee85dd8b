package org.rddp.daemon.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.rddp.client.types.Reason;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.ipc.linux.SharedMemory;

/** The order of populating and unmapping, with threads that the test steps. */
class ProgramMappingTest {
  private static final long MIB = 1 << 20;

  private final ArrayDeque<Runnable> populating = new ArrayDeque<>();
  private final ArrayDeque<Runnable> unmapping = new ArrayDeque<>();
  private final ArrayDeque<Runnable> control = new ArrayDeque<>();
  private final MappingThreads threads =
      new MappingThreads(
          populating::add, populating::add, unmapping::add, unmapping::add, control::add, () -> {});
  private final List<String> events = new ArrayList<>();

  private static SharedMemory memory(long octets) throws IOException {
    SharedMemory memory = SharedMemory.create("test", octets);
    memory.forbidHoles();
    return memory;
  }

  private ProgramMapping mapping(SharedMemory memory, String name) throws RequestRefusedException {
    ProgramMapping mapping =
        new ProgramMapping(
            memory,
            () -> {
              events.add(name + " unmapped");
              memory.close();
            },
            threads);
    mapping.share(
        refusal -> events.add(name + (refusal == null ? " ready" : " " + refusal.reason())));
    return mapping;
  }

  private static void runAll(ArrayDeque<Runnable> queue) {
    while (!queue.isEmpty()) {
      queue.remove().run();
    }
  }

  @Test
  void shouldPopulateSmallMemoryBetweenThePiecesOfLargeMemory() throws Exception {
    try (SharedMemory large = memory(64 * MIB);
        SharedMemory small = memory(MIB)) {
      ProgramMapping first = mapping(large, "large");
      ProgramMapping second = mapping(small, "small");
      populating.remove().run();
      populating.remove().run();
      runAll(control);
      assertThat(events).containsExactly("small ready");
      assertThat(first.isReady()).isFalse();
      runAll(populating);
      runAll(control);
      assertThat(events).containsExactly("small ready", "large ready");
      assertThat(second.isReady() && first.isReady()).isTrue();
    }
  }

  @Test
  void shouldUnmapOnlyWhenTheLastPieceIsPopulated() throws Exception {
    ProgramMapping mapping = mapping(memory(64 * MIB), "memory");
    populating.remove().run();
    mapping.release(() -> events.add("done"));
    assertThat(unmapping).isEmpty();
    populating.remove().run();
    assertThat(populating).as("further pieces").isEmpty();
    runAll(control);
    assertThat(events).as("the request has its reply").containsExactly("memory " + Reason.STATE);
    runAll(unmapping);
    assertThat(events).endsWith("memory unmapped");
    runAll(control);
    assertThat(events).containsExactly("memory " + Reason.STATE, "memory unmapped", "done");
  }

  /** The error would otherwise be a SIGBUS of the engine's thread. */
  @Test
  void shouldReportThatPagesCannotBeAllocated() throws Exception {
    SharedMemory memory = memory(4 * MIB);
    ProgramMapping mapping = mapping(memory, "memory");
    memory.close(); // madvise(2) fails where nothing is mapped
    runAll(populating);
    runAll(control);
    assertThat(events).containsExactly("memory " + Reason.RESOURCES);
    assertThat(mapping.isReady()).isFalse();
  }
}
