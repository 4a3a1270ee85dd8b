package org.rddp.daemon.control;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.rddp.client.types.Reason;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.FileId;
import org.rddp.ipc.linux.SharedMemory;
import org.rddp.ipc.linux.UnsafeMemoryException;

/**
 * Maps memory that programs have brought, each memfd once. Programs that share memory can so each
 * have it in their session: once one of them has forbidden holes (F_SEAL_FUTURE_WRITE), nobody can
 * map it anew. Thread-safe.
 */
final class AdoptedFiles {
  private static final class Entry {
    final SharedMemory mapping;
    int users = 1;

    Entry(SharedMemory mapping) {
      this.mapping = mapping;
    }
  }

  /** Guarded by this. */
  private final Map<FileId, Entry> entries = new HashMap<>();

  /**
   * Maps memory of a program. The program can block it; any thread may call this.
   *
   * @param descriptor closed by the result, or before this throws
   */
  SharedMemory map(Descriptor descriptor) throws RequestRefusedException {
    try {
      FileId file = descriptor.file();
      SharedMemory shared = find(file, descriptor);
      return shared != null ? shared : add(file, SharedMemory.map(descriptor));
    } catch (UnsafeMemoryException e) {
      descriptor.close();
      throw new RequestRefusedException(Reason.UNSAFE_MEMORY, e.getMessage());
    } catch (IOException e) {
      descriptor.close();
      throw new RequestRefusedException(Reason.RESOURCES, e.getMessage());
    }
  }

  private synchronized SharedMemory find(FileId file, Descriptor descriptor) throws IOException {
    Entry entry = entries.get(file);
    if (entry == null) {
      return null;
    }
    SharedMemory shared = entry.mapping.sharedWith(descriptor, () -> release(file, entry));
    entry.users++;
    return shared;
  }

  private synchronized SharedMemory add(FileId file, SharedMemory mapped) throws IOException {
    Entry entry = new Entry(mapped);
    SharedMemory first = mapped.sharedWith(mapped.descriptor(), () -> release(file, entry));
    // Otherwise another thread was first, which is no harm: both have a mapping.
    return entries.putIfAbsent(file, entry) == null ? first : mapped;
  }

  private void release(FileId file, Entry entry) {
    synchronized (this) {
      entry.users--;
      if (entry.users > 0) {
        return;
      }
      entries.remove(file);
    }
    entry.mapping.close();
  }
}
