package org.rddp.daemon.control;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.rddp.client.types.Reason;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.FileId;
import org.rddp.ipc.linux.SharedMemory;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.linux.UnsafeMemoryException;

/**
 * Maps memory that programs have brought, each memfd once. Programs that share memory can so each
 * have it in their session: once one of them has forbidden holes (F_SEAL_FUTURE_WRITE), nobody can
 * map it anew. Thread-safe.
 *
 * <p>A program must not get the mapping of another file. A memfd of ordinary pages is known by its
 * number. That of a memfd of huge pages is given again after 2^32 others, which a program can open
 * within hours to get the number of another user's memory. So the daemon keeps a descriptor of such
 * a file, and who brings it, too, must have a duplicate of the same: one that was inherited or
 * received. A descriptor from opening {@code /proc/PID/fd} counts as another file.
 */
final class AdoptedFiles {
  /** Tells which file is open. */
  interface Identity {
    FileId of(Descriptor descriptor) throws SystemCallException;
  }

  private static final class Entry {
    final SharedMemory mapping;

    /** A duplicate of the first program's descriptor; null if the number identifies the file. */
    final Descriptor first;

    int users = 1;

    Entry(SharedMemory mapping, Descriptor first) {
      this.mapping = mapping;
      this.first = first;
    }

    boolean isOf(Descriptor descriptor) throws SystemCallException {
      return first == null || first.isDuplicateOf(descriptor);
    }
  }

  private final Identity identity;

  /** Guarded by this. Several have one number if that is not unique. */
  private final Map<FileId, List<Entry>> entries = new HashMap<>();

  AdoptedFiles() {
    this(Descriptor::file);
  }

  AdoptedFiles(Identity identity) {
    this.identity = identity;
  }

  /**
   * Maps memory of a program. The program can block it; any thread may call this.
   *
   * @param descriptor closed by the result, or before this throws
   */
  SharedMemory map(Descriptor descriptor) throws RequestRefusedException {
    try {
      FileId file = identity.of(descriptor);
      SharedMemory shared = share(file, descriptor);
      return shared != null ? shared : add(file, SharedMemory.map(descriptor));
    } catch (UnsafeMemoryException e) {
      descriptor.close();
      throw new RequestRefusedException(Reason.UNSAFE_MEMORY, e.getMessage());
    } catch (IOException e) {
      descriptor.close();
      throw new RequestRefusedException(Reason.RESOURCES, e.getMessage());
    }
  }

  /** Shares the file's mapping; null if it has none. */
  private synchronized SharedMemory share(FileId file, Descriptor descriptor) throws IOException {
    Entry entry = find(file, descriptor);
    if (entry == null) {
      return null;
    }
    SharedMemory shared = entry.mapping.sharedWith(descriptor, () -> release(file, entry));
    entry.users++;
    return shared;
  }

  private Entry find(FileId file, Descriptor descriptor) throws SystemCallException {
    for (Entry entry : entries.getOrDefault(file, List.of())) {
      if (entry.isOf(descriptor)) {
        return entry;
      }
    }
    return null;
  }

  private synchronized SharedMemory add(FileId file, SharedMemory mapped) throws IOException {
    try {
      if (find(file, mapped.descriptor()) != null) {
        // Another thread was first, which is no harm: both have a mapping.
        return mapped;
      }
      Descriptor first = file.unique() ? null : mapped.descriptor().duplicate();
      Entry entry = new Entry(mapped, first);
      entries.computeIfAbsent(file, id -> new ArrayList<>()).add(entry);
      return mapped.sharedWith(mapped.descriptor(), () -> release(file, entry));
    } catch (IOException e) {
      mapped.close();
      throw e;
    }
  }

  private void release(FileId file, Entry entry) {
    synchronized (this) {
      entry.users--;
      if (entry.users > 0) {
        return;
      }
      List<Entry> all = entries.get(file);
      all.remove(entry);
      if (all.isEmpty()) {
        entries.remove(file);
      }
    }
    entry.mapping.close();
    if (entry.first != null) {
      entry.first.close();
    }
  }
}
