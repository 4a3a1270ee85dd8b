package org.rddp.daemon.control;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.FileId;
import org.rddp.ipc.linux.SharedMemory;

/**
 * Memory of programs that a daemon maps before it takes another one's place: for each GiB that
 * takes some 100 ms, in which otherwise nobody would serve the programs. One thread.
 */
public final class MappedMemories implements AutoCloseable {
  /**
   * A memory whose pages are all mapped.
   *
   * @param isLocked whether they are locked, too
   */
  record Mapped(SharedMemory memory, boolean isLocked) {}

  /** By its file. A mapping keeps the file, so no other one gets its number. */
  private final Map<FileId, Mapped> mapped = new HashMap<>();

  /**
   * Maps all pages of a memory; if that fails, it is tried again when the memory is handed over.
   *
   * @param descriptor closed
   */
  public void map(Descriptor descriptor) {
    SharedMemory memory = null;
    try (descriptor) {
      FileId file = descriptor.file();
      memory = SharedMemory.map(descriptor);
      memory.populate(0, memory.length());
      mapped.put(file, new Mapped(memory, memory.lock(0, memory.length())));
    } catch (IOException triedAgain) {
      if (memory != null) {
        memory.close();
      }
    }
  }

  /**
   * Takes a memory.
   *
   * @param descriptor the memory's; closed with it
   * @return null if this memory has not been mapped
   */
  Mapped take(Descriptor descriptor) {
    Mapped taken = null;
    try {
      taken = mapped.remove(descriptor.file());
      if (taken == null) {
        return null;
      }
      SharedMemory first = taken.memory;
      return new Mapped(first.sharedWith(descriptor, first::close), taken.isLocked);
    } catch (IOException e) {
      if (taken != null) {
        taken.memory.close();
      }
      return null;
    }
  }

  /** Unmaps what has not been taken. */
  @Override
  public void close() {
    mapped.values().forEach(each -> each.memory.close());
    mapped.clear();
  }
}
