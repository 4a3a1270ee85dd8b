package org.rddp.client;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.rddp.client.types.Reason;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.MemoryPiece;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.control.RegionSettings;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.SharedMemory;

/** The memory of a session: mappings, allocated pieces and registered regions. Thread-safe. */
final class SessionMemory {
  /** A piece of a mapped memory, as allocated by the daemon. */
  static final class Piece {
    private final Mapping mapping;
    private final long offset;

    private Piece(Mapping mapping, long offset) {
      this.mapping = mapping;
      this.offset = offset;
    }

    MemorySegment segment(long from, long octets, Arena arena) {
      return MemorySegment.ofAddress(mapping.memory.address() + offset + from)
          .reinterpret(octets, arena, null);
    }

    /** Whether the memory is the program's own; then no other daemon can map it. */
    boolean isPrograms() {
      return mapping.isPrograms;
    }

    /** A range of it, in the control protocol's form. */
    MemoryPiece range(long from, long octets) {
      return new MemoryPiece(mapping.number, offset + from, octets);
    }
  }

  /** A mapped memory and the number of its pieces in use. */
  private static final class Mapping {
    /** Whether the memory is the program's own, which may have other mappings of it. */
    private final boolean isPrograms;

    /** The daemon's number of it; 0 once the daemon has freed it. */
    private int number;

    private SharedMemory memory;
    private int pieces;

    /** Whether the daemon frees it as a whole, since it did not cut it into pieces. */
    private boolean isWhole;

    private Mapping(int number, SharedMemory memory, boolean isPrograms) {
      this.number = number;
      this.memory = memory;
      this.isPrograms = isPrograms;
      this.isWhole = isPrograms;
    }
  }

  /** Octets whose pages a slow machine allocates in a second. */
  private static final long LEAST_POPULATED = 16 << 20;

  private final Rddp session;
  private volatile ControlChannel channel;
  private final Map<Integer, Mapping> mappings = new HashMap<>();
  private final Set<MemoryRegion> regions = new HashSet<>();

  /** Mappings that only ended regions still use; the daemon has none of them. */
  private final Set<Mapping> left = new HashSet<>();

  private boolean closed;

  SessionMemory(Rddp session) {
    this.session = session;
  }

  /** Sets the channel of the daemon that has the memory. */
  void use(ControlChannel daemons) {
    channel = daemons;
  }

  /**
   * Creates a region on memory that the daemon allocates. Memory requests are serialized, so that
   * both ends agree when the last piece of a memory is freed.
   */
  MemoryRegion allocate(long octets, RegionSettings settings) {
    Piece piece;
    synchronized (this) {
      checkOpen();
      DaemonMessage.MemoryAllocated reply =
          channel.request(
              request -> new ProgramMessage.AllocateMemory(request, octets),
              DaemonMessage.MemoryAllocated.class);
      piece = piece(reply.memory(), reply.offset(), octets, reply.descriptor());
    }
    return registerAll(piece, octets, settings);
  }

  /** Creates a region on all of the program's own memory. */
  MemoryRegion adopt(Descriptor descriptor, RegionSettings settings) throws IOException {
    Piece piece;
    long octets;
    synchronized (this) {
      checkOpen();
      // Map the memory here first: memory that cannot be mapped is not sent to the daemon.
      SharedMemory mapped = SharedMemory.map(descriptor.duplicate());
      octets = mapped.length();
      try {
        piece = piece(new Mapping(adopt(descriptor, channel), mapped, true), 0);
      } catch (RddpException e) {
        mapped.close();
        throw e;
      }
      shareNew(piece);
    }
    return registerAll(piece, octets, settings);
  }

  private MemoryRegion registerAll(Piece piece, long octets, RegionSettings settings) {
    try {
      return register(new RegionMemory.Range(piece, 0, octets), settings, piece);
    } catch (RddpException e) {
      free(piece);
      throw e;
    }
  }

  private Piece piece(int memory, long offset, long octets, Descriptor descriptor) {
    if (descriptor != null) {
      try {
        mappings.put(memory, new Mapping(memory, SharedMemory.map(descriptor), false));
      } catch (IOException e) {
        throw new RddpException("memory from the daemon cannot be mapped: " + e.getMessage(), e);
      }
    }
    Mapping mapping = mappings.get(memory);
    if (mapping == null || offset < 0 || offset > mapping.memory.length() - octets) {
      throw new RddpException("the daemon allocated memory outside of its mapping");
    }
    Piece piece = piece(mapping, offset);
    if (descriptor != null) {
      shareNew(piece);
    }
    return piece;
  }

  /** Shares the memory of its first piece; frees the piece if the daemon refuses. */
  private void shareNew(Piece piece) {
    try {
      share(channel, piece.mapping.number, piece.mapping.memory);
    } catch (IOException | RddpException e) {
      free(piece);
      throw e instanceof RddpException refused
          ? refused
          : new RddpException("memory cannot be shared: " + e.getMessage(), e);
    }
  }

  /**
   * Forbids holes in memory that both ends have mapped, and waits until the daemon has allocated
   * its pages. Closes the descriptor, except that of immutable memory that another daemon can have.
   *
   * @param number see {@link ProgramMessage.ShareMemory}
   */
  static void share(ControlChannel channel, int number, SharedMemory memory) throws IOException {
    memory.forbidHoles();
    boolean kept = number > ProgramMessage.ShareMemory.RINGS && memory.isImmutable();
    if (!kept) {
      memory.descriptor().close();
    }
    try {
      share(channel, number, memory.length());
    } catch (RefusedException e) {
      if (!kept || e.reason() != Reason.UNSAFE_MEMORY) {
        throw e;
      }
      // A daemon of a former version knows the seal only.
      memory.seal();
      memory.descriptor().close();
      share(channel, number, memory.length());
    }
  }

  private static void share(ControlChannel channel, int number, long octets) {
    channel.request(
        request -> new ProgramMessage.ShareMemory(request, number),
        DaemonMessage.Done.class,
        populated(octets));
  }

  private Piece piece(Mapping mapping, long offset) {
    mapping.pieces++;
    mappings.put(mapping.number, mapping);
    return new Piece(mapping, offset);
  }

  /**
   * Creates a region.
   *
   * @param owned what is freed with the region, or null
   */
  MemoryRegion register(RegionMemory memory, RegionSettings settings, Piece owned) {
    DaemonMessage.Registered reply = register(channel, memory, settings);
    synchronized (this) {
      checkOpen();
      MemoryRegion region = new MemoryRegion(session, memory, reply.stag(), settings, owned);
      regions.add(region);
      return region;
    }
  }

  private static DaemonMessage.Registered register(
      ControlChannel daemon, RegionMemory memory, RegionSettings settings) {
    return daemon.request(
        request -> memory.register(request, settings),
        DaemonMessage.Registered.class,
        populated(memory.octets()));
  }

  /** Longest time that the daemon takes for the pages of a memory. */
  private static Duration populated(long octets) {
    return Duration.ofSeconds(octets / LEAST_POPULATED);
  }

  void deregister(MemoryRegion region) {
    if (!region.isEnded()) {
      try {
        channel.request(
            request -> new ProgramMessage.Deregister(request, region.stag()),
            DaemonMessage.Done.class);
      } catch (SessionLostException sessionEnded) {
        // The session has ended, so nothing more is placed there.
      }
    }
    synchronized (this) {
      regions.remove(region);
    }
  }

  synchronized void free(Piece piece) {
    if (closed) {
      return;
    }
    Mapping mapping = piece.mapping;
    if (mapping.number != 0 && (!mapping.isWhole || mapping.pieces == 1)) {
      long offset = mapping.isWhole ? 0 : piece.offset;
      try {
        channel.request(
            request -> new ProgramMessage.FreeMemory(request, mapping.number, offset),
            DaemonMessage.Done.class);
      } catch (SessionLostException sessionEnded) {
        // The daemon has unmapped the memory; it is unmapped here below.
      }
    }
    mapping.pieces--;
    if (mapping.pieces == 0) {
      mappings.remove(mapping.number, mapping);
      left.remove(mapping);
      mapping.memory.close();
    }
  }

  /**
   * Ends the regions that cannot be registered with another daemon: those of one connection, and
   * those on the program's own memory.
   *
   * @return these regions
   */
  synchronized List<MemoryRegion> onDaemonLost() {
    List<MemoryRegion> ended = new ArrayList<>();
    for (MemoryRegion region : regions) {
      if (!region.isEnded() && (region.connection() != 0 || region.memory().isPrograms())) {
        region.end();
        ended.add(region);
      }
    }
    for (Mapping mapping : List.copyOf(mappings.values())) {
      if (mapping.isPrograms) {
        mappings.remove(mapping.number);
        mapping.number = 0;
        left.add(mapping);
      }
    }
    return ended;
  }

  /**
   * Gives the memory to another daemon and registers the regions there. On failure the contents are
   * kept, and the next daemon can be tried.
   */
  synchronized void restore(ControlChannel next) {
    checkOpen();
    Map<Integer, Mapping> moved = new HashMap<>();
    for (Mapping mapping : mappings.values()) {
      try {
        moved.put(move(mapping, next), mapping);
      } catch (IOException e) {
        throw new RddpException("memory cannot be given to the daemon: " + e.getMessage(), e);
      }
    }
    mappings.clear();
    mappings.putAll(moved);
    moved.forEach((number, mapping) -> {
      mapping.number = number;
      mapping.isWhole = true;
    });
    for (MemoryRegion region : regions) {
      if (!region.isEnded()) {
        region.restored(register(next, region.memory(), region.settings()).stag());
      }
    }
  }

  /**
   * Shares a memory with the next daemon; returns its number. No further process can map memory
   * with F_SEAL_FUTURE_WRITE, so its contents are copied into new memory, which replaces it in this
   * process. The descriptor of immutable memory is still open.
   */
  private static int move(Mapping mapping, ControlChannel next) throws IOException {
    SharedMemory old = mapping.memory;
    if (old.descriptor().isOpen()) {
      int number = adopt(old.descriptor(), next);
      share(next, number, old);
      return number;
    }
    SharedMemory copy = SharedMemory.create("rddp-region", old.length());
    try {
      copy.copyFrom(old);
      int number = adopt(copy.descriptor(), next);
      share(next, number, copy);
      copy.replace(old);
      mapping.memory = copy;
      return number;
    } catch (IOException | RuntimeException e) {
      copy.close();
      throw e;
    }
  }

  private static int adopt(Descriptor memory, ControlChannel daemon) {
    return daemon
        .request(
            request -> new ProgramMessage.AdoptMemory(request, memory),
            DaemonMessage.MemoryAdopted.class)
        .memory();
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the session is closed");
    }
  }

  /** Closes every region, then unmaps the memory. A later access throws. */
  void close() {
    List<MemoryRegion> open;
    synchronized (this) {
      closed = true;
      open = new ArrayList<>(regions);
      regions.clear();
    }
    open.forEach(MemoryRegion::onSessionClosed);
    synchronized (this) {
      mappings.values().forEach(mapping -> mapping.memory.close());
      mappings.clear();
      left.forEach(mapping -> mapping.memory.close());
      left.clear();
    }
  }
}
