package org.rddp.daemon.control;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.PairedSocket;
import org.rddp.ipc.linux.SharedMemory;
import org.rddp.snapshot.Snapshot;
import org.rddp.snapshot.SnapshotException;

/** The descriptors that go with a snapshot, in the order of what they belong to. One thread. */
public final class HandedDescriptors {
  private static final int NONE = 0;
  private static final int CLOSED = 1;
  private static final int OPEN = 2;

  private final List<Descriptor> all;

  /** Null when they are written. */
  private final Iterator<Descriptor> read;

  private final MappedMemories memories;

  /** Descriptors to be written, none at first. */
  public HandedDescriptors() {
    all = new ArrayList<>();
    read = null;
    memories = null;
  }

  /**
   * Descriptors to be read.
   *
   * @param received in the order in which they were written
   * @param memories that have been mapped before
   */
  public HandedDescriptors(List<Descriptor> received, MappedMemories memories) {
    all = List.copyOf(received);
    read = all.iterator();
    this.memories = memories;
  }

  /** Those that have been written. */
  public List<Descriptor> written() {
    return List.copyOf(all);
  }

  /**
   * Transfers a descriptor.
   *
   * @param written what is handed over, and stays open at this end; null when it is read
   * @return the descriptor; when read, the caller closes it
   * @throws SnapshotException if it is closed, or missing
   */
  Descriptor transfer(Descriptor written) {
    if (read == null) {
      if (!written.isOpen()) {
        throw new SnapshotException("a descriptor that is to be handed over has been closed");
      }
      all.add(written);
      return written;
    }
    if (!read.hasNext()) {
      throw new SnapshotException("a descriptor is missing");
    }
    return read.next();
  }

  /**
   * Transfers a socket that may have been closed.
   *
   * @param name by which the snapshot has whether it is open
   * @param written null for none, and when it is read
   * @return when read, a socket that is closed if the written one is; null for none
   */
  PairedSocket transfer(Snapshot snapshot, String name, PairedSocket written) {
    int state = written == null ? NONE : written.descriptor().isOpen() ? OPEN : CLOSED;
    state = snapshot.number(name, state, NONE, OPEN);
    if (!snapshot.reads()) {
      if (state == OPEN) {
        transfer(written.descriptor());
      }
      return written;
    }
    return switch (state) {
      case OPEN -> new PairedSocket(transfer(null));
      case CLOSED -> new PairedSocket(Descriptor.closed());
      default -> null;
    };
  }

  /**
   * Takes memory that has been mapped before.
   *
   * @param descriptor the memory's, which was handed over; closed with it
   * @return null if this memory has not been mapped
   */
  MappedMemories.Mapped takeMapped(Descriptor descriptor) {
    return memories.take(descriptor);
  }

  /**
   * Maps memory that was handed over.
   *
   * @param descriptor closed with the memory, or if this throws
   * @throws SnapshotException if this process cannot map it
   */
  static SharedMemory map(Descriptor descriptor) {
    try {
      return SharedMemory.map(descriptor);
    } catch (IOException e) {
      throw new SnapshotException("a program's memory cannot be mapped: " + e.getMessage());
    }
  }
}
