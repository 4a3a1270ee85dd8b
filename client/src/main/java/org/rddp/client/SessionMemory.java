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
import org.rddp.client.types.Access;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.SharedMemory;

/** The memory of a session: mappings, allocated pieces and registered regions. Thread-safe. */
final class SessionMemory {
  /** A piece of a mapped memory, as allocated by the daemon. */
  static final class Piece {
    private final int memory;
    private final long offset;
    private final SharedMemory mapping;

    private Piece(int memory, long offset, SharedMemory mapping) {
      this.memory = memory;
      this.offset = offset;
      this.mapping = mapping;
    }

    MemorySegment segment(long from, long octets, Arena arena) {
      return MemorySegment.ofAddress(mapping.address() + offset + from)
          .reinterpret(octets, arena, null);
    }
  }

  /** A mapped memory and the number of its pieces in use. */
  private static final class Mapping {
    private final SharedMemory memory;
    private int pieces;

    private Mapping(SharedMemory memory) {
      this.memory = memory;
    }
  }

  /** Octets whose pages a slow machine allocates in a second. */
  private static final long LEAST_POPULATED = 16 << 20;

  private final Rddp session;
  private final ControlChannel channel;
  private final Map<Integer, Mapping> mappings = new HashMap<>();
  private final Set<MemoryRegion> regions = new HashSet<>();
  private boolean closed;

  SessionMemory(Rddp session, ControlChannel channel) {
    this.session = session;
    this.channel = channel;
  }

  /**
   * Creates a region on memory that the daemon allocates. Memory requests are serialized, so that
   * both ends agree when the last piece of a memory is freed.
   */
  MemoryRegion allocate(long octets, int rights) {
    checkRights(rights, 0);
    Piece piece;
    synchronized (this) {
      checkOpen();
      DaemonMessage.MemoryAllocated reply =
          channel.request(
              request -> new ProgramMessage.AllocateMemory(request, octets),
              DaemonMessage.MemoryAllocated.class);
      piece = piece(reply.memory(), reply.offset(), octets, reply.descriptor());
    }
    return registerAll(piece, octets, rights);
  }

  /** Creates a region on all of the program's own memory. */
  MemoryRegion adopt(Descriptor descriptor, int rights) throws IOException {
    checkRights(rights, 0);
    Piece piece;
    long octets;
    synchronized (this) {
      checkOpen();
      // Map the memory here first: memory that cannot be mapped is not sent to the daemon.
      SharedMemory mapped = SharedMemory.map(descriptor.duplicate());
      octets = mapped.length();
      try {
        DaemonMessage.MemoryAdopted reply =
            channel.request(
                request -> new ProgramMessage.AdoptMemory(request, descriptor),
                DaemonMessage.MemoryAdopted.class);
        piece = piece(reply.memory(), mapped);
      } catch (RddpException e) {
        mapped.close();
        throw e;
      }
      shareNew(piece);
    }
    return registerAll(piece, octets, rights);
  }

  private MemoryRegion registerAll(Piece piece, long octets, int rights) {
    try {
      return register(piece, 0, octets, rights, 0, true);
    } catch (RddpException e) {
      free(piece);
      throw e;
    }
  }

  private Piece piece(int memory, long offset, long octets, Descriptor descriptor) {
    if (descriptor != null) {
      try {
        mappings.put(memory, new Mapping(SharedMemory.map(descriptor)));
      } catch (IOException e) {
        throw new RddpException("memory from the daemon cannot be mapped: " + e.getMessage(), e);
      }
    }
    Mapping mapping = mappings.get(memory);
    if (mapping == null || offset < 0 || offset > mapping.memory.length() - octets) {
      throw new RddpException("the daemon allocated memory outside of its mapping");
    }
    mapping.pieces++;
    Piece piece = new Piece(memory, offset, mapping.memory);
    if (descriptor != null) {
      shareNew(piece);
    }
    return piece;
  }

  /** Shares the memory of its first piece; frees the piece if the daemon refuses. */
  private void shareNew(Piece piece) {
    try {
      share(piece.memory, piece.mapping);
    } catch (IOException | RddpException e) {
      free(piece);
      throw e instanceof RddpException refused
          ? refused
          : new RddpException("memory cannot be shared: " + e.getMessage(), e);
    }
  }

  /**
   * Forbids holes in memory that both ends have mapped, and waits until the daemon has allocated
   * its pages. Closes the descriptor.
   *
   * @param number see {@link ProgramMessage.ShareMemory}
   */
  void share(int number, SharedMemory memory) throws IOException {
    memory.forbidHoles();
    memory.descriptor().close();
    channel.request(
        request -> new ProgramMessage.ShareMemory(request, number),
        DaemonMessage.Done.class,
        Duration.ofSeconds(memory.length() / LEAST_POPULATED));
  }

  private Piece piece(int memory, SharedMemory mapped) {
    Mapping mapping = new Mapping(mapped);
    mapping.pieces = 1;
    mappings.put(memory, mapping);
    return new Piece(memory, 0, mapped);
  }

  MemoryRegion register(
      Piece piece, long offset, long octets, int rights, int connection, boolean ownsPiece) {
    checkRights(rights, connection);
    DaemonMessage.Registered reply =
        channel.request(
            request ->
                new ProgramMessage.Register(
                    request, piece.memory, piece.offset + offset, octets, rights, connection),
            DaemonMessage.Registered.class);
    synchronized (this) {
      checkOpen();
      MemoryRegion region =
          new MemoryRegion(
              session, piece, offset, octets, reply.stag(), reply.baseTo(), rights, ownsPiece);
      regions.add(region);
      return region;
    }
  }

  private static void checkRights(int rights, int connection) {
    if (connection == 0 && !Access.mayBeShared(rights)) {
      throw new IllegalArgumentException(
          "a region with REMOTE_INVALIDATE must be for one connection: register the memory again"
              + " with MemoryRegion.register(connection, ...), or bind a memory window to it");
    }
  }

  void deregister(MemoryRegion region) {
    try {
      channel.request(
          request -> new ProgramMessage.Deregister(request, region.stag()),
          DaemonMessage.Done.class);
    } catch (SessionLostException sessionEnded) {
      // The session has ended, so nothing is placed there any more.
    }
    synchronized (this) {
      regions.remove(region);
    }
  }

  synchronized void free(Piece piece) {
    if (closed) {
      return;
    }
    try {
      channel.request(
          request -> new ProgramMessage.FreeMemory(request, piece.memory, piece.offset),
          DaemonMessage.Done.class);
    } catch (SessionLostException sessionEnded) {
      // The daemon has unmapped the memory; it is unmapped here below.
    }
    Mapping mapping = mappings.get(piece.memory);
    mapping.pieces--;
    if (mapping.pieces == 0) {
      mappings.remove(piece.memory);
      mapping.memory.close();
    }
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
    }
  }
}
