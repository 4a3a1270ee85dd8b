package org.rddp.daemon.control;

import java.util.function.Consumer;
import org.rddp.client.types.Reason;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.SharedMemory;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.snapshot.Snapshot;

/**
 * A memory that is shared with a program, from its mapping to its unmapping. The engine may use it
 * only when it is ready: then no process can punch a hole into it, for which the engine would have
 * to wait, and all of its pages are allocated and mapped, so that the engine's accesses do not
 * fault. Control thread only.
 */
final class ProgramMapping {
  /** Octets populated at a time, so that other memory does not wait; takes about a millisecond. */
  private static final long PIECE = 2L << 20;

  private enum State {
    /** Both ends may still punch holes. */
    MAPPED,
    POPULATING,
    READY,
    FAILED
  }

  private final SharedMemory memory;
  private final Runnable unmap;
  private final MappingThreads threads;
  private final Consumer<Runnable> populating;
  private State state = State.MAPPED;
  private Runnable whenUnmapped;

  /** Whether all pages were mapped before another daemon was asked for its state. */
  private boolean populated;

  /** Whether the memory is to be unmapped. Written by the control thread. */
  private volatile boolean released;

  /**
   * Takes ownership of a memory.
   *
   * @param unmap closes the memory and its users; called on another thread
   */
  ProgramMapping(SharedMemory memory, Runnable unmap, MappingThreads threads) {
    this(memory, unmap, threads, threads::populate);
  }

  private ProgramMapping(
      SharedMemory memory, Runnable unmap, MappingThreads threads, Consumer<Runnable> populating) {
    this.memory = memory;
    this.unmap = unmap;
    this.threads = threads;
    this.populating = populating;
    threads.add(this, unmap);
  }

  /**
   * Takes ownership of rings, which do not wait until other memory is populated.
   *
   * @param unmap closes the rings and their resources; called on another thread
   */
  static ProgramMapping ofRings(SharedMemory rings, Runnable unmap, MappingThreads threads) {
    return new ProgramMapping(rings, unmap, threads, threads::populateRings);
  }

  ProgramMapping(SharedMemory memory, MappingThreads threads) {
    this(memory, memory::close, threads);
  }

  /** A memory of another daemon's, which may have been mapped before. */
  static ProgramMapping handedOver(
      Descriptor memfd, HandedDescriptors descriptors, MappingThreads threads) {
    MappedMemories.Mapped mapped = descriptors.takeMapped(memfd);
    SharedMemory memory = mapped == null ? HandedDescriptors.map(memfd) : mapped.memory();
    ProgramMapping made = new ProgramMapping(memory, threads);
    made.populated = mapped != null;
    if (mapped != null && !mapped.isLocked()) {
      threads.onNotLocked();
    }
    return made;
  }

  /**
   * The memfd, which is open until the memory is shared, and as long as the memory if another
   * daemon can go on with it.
   */
  Descriptor descriptor() {
    return memory.descriptor();
  }

  long address() {
    return memory.address();
  }

  long length() {
    return memory.length();
  }

  /** Whether the engine may use the memory. */
  boolean isReady() {
    return state == State.READY;
  }

  /** Whether the memory is being shared: the program must not free it now. */
  boolean isPopulating() {
    return state == State.POPULATING;
  }

  /** Whether the program has not shared the memory yet: its descriptor is open. */
  boolean isMapped() {
    return state == State.MAPPED;
  }

  /** Whether another daemon can map the memory. Never waits. */
  boolean canGoOver() {
    try {
      return memory.descriptor().isOpen() && memory.canBeMappedAgain();
    } catch (SystemCallException e) {
      return false;
    }
  }

  /** Transfers how far it has come; when read, another daemon has had the memory before. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(ProgramMapping.class);
    state = snapshot.constant("state", State.class, state);
    if (snapshot.reads() && state == State.READY && !populated) {
      try {
        memory.populate(0, memory.length());
      } catch (SystemCallException e) {
        throw snapshot.wrong("no memory is left for that of programs: " + e.getMessage());
      }
      if (!memory.lock(0, memory.length())) {
        threads.onNotLocked();
      }
    }
    snapshot.end();
  }

  /** Zeroes a range of memory that is ready. */
  void clear(long offset, long octets) {
    memory.segment().asSlice(offset, octets).fill((byte) 0);
  }

  /**
   * Makes the memory ready after the program has forbidden holes.
   *
   * @param outcome called when the memory is ready, with null, or with the refusal if there is no
   *     memory left or the memory is released before
   * @throws RequestRefusedException if holes are not forbidden, or the memory was shared before
   */
  void share(Consumer<RequestRefusedException> outcome) throws RequestRefusedException {
    share(Runnable::run, outcome);
  }

  /**
   * Makes the memory ready, one memory at a time.
   *
   * @param turns runs a task on the control thread when it is this memory's turn
   */
  void share(Consumer<Runnable> turns, Consumer<RequestRefusedException> outcome)
      throws RequestRefusedException {
    if (state != State.MAPPED) {
      throw new RequestRefusedException(Reason.STATE, "the memory has been shared already");
    }
    if (!forbidsHoles()) {
      throw new RequestRefusedException(
          Reason.UNSAFE_MEMORY,
          "a hole could be punched into the memory: map it, add F_SEAL_FUTURE_WRITE with fcntl(2),"
              + " then share it");
    }
    if (!canGoOver()) {
      // Descriptors are scarce; the mapping stays.
      threads.close(memory.descriptor()::close);
    }
    state = State.POPULATING;
    turns.accept(() -> populating.accept(() -> populate(0, outcome)));
  }

  private boolean forbidsHoles() throws RequestRefusedException {
    try {
      return memory.forbidsHoles();
    } catch (SystemCallException e) {
      throw new RequestRefusedException(Reason.RESOURCES, e.getMessage());
    }
  }

  /** Populates a piece, and leaves the next one to a later turn. Populating thread. */
  private void populate(long offset, Consumer<RequestRefusedException> outcome) {
    RequestRefusedException failure = null;
    if (!released) {
      long octets = Math.min(PIECE, memory.length() - offset);
      try {
        memory.populate(offset, octets);
        if (!memory.lock(offset, octets)) {
          threads.onNotLocked();
        }
        if (offset + octets < memory.length()) {
          populating.accept(() -> populate(offset + octets, outcome));
          return;
        }
      } catch (SystemCallException | RuntimeException | Error e) {
        failure =
            new RequestRefusedException(
                Reason.RESOURCES,
                "no memory is left for octets "
                    + offset
                    + " to "
                    + (offset + octets)
                    + ": "
                    + e.getMessage());
      }
    }
    RequestRefusedException why = failure;
    threads.control(() -> onPopulated(why, outcome));
  }

  private void onPopulated(RequestRefusedException failure, Consumer<RequestRefusedException> out) {
    state = failure == null ? State.READY : State.FAILED;
    if (released) {
      unmap();
      out.accept(
          new RequestRefusedException(Reason.STATE, "the memory was freed while it was shared"));
    } else {
      out.accept(failure);
    }
  }

  /**
   * Unmaps the memory; no engine may use it.
   *
   * @param done called when it is unmapped
   */
  void release(Runnable done) {
    whenUnmapped = done;
    released = true;
    threads.remove(this);
    // Otherwise the populating thread uses it now, and it is unmapped when that thread notices.
    if (state != State.POPULATING) {
      unmap();
    }
  }

  private void unmap() {
    threads.close(() -> {
      memory.descriptor().close();
      threads.unmap(
          memory.length(),
          () -> {
            try {
              unmap.run();
            } finally {
              threads.control(whenUnmapped);
            }
          });
    });
  }
}
