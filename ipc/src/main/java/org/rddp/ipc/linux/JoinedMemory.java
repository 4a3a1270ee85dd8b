package org.rddp.ipc.linux;

import java.util.List;

/**
 * Parts of shared memories, mapped a second time side by side. A memory that has
 * F_SEAL_FUTURE_WRITE cannot be mapped for writing from its descriptor; so this doubles the
 * mappings that exist (mremap(2) with an old size of 0).
 *
 * <p>Not thread-safe. After {@link #close()}, every access ends the JVM.
 */
public final class JoinedMemory implements AutoCloseable {
  /** Size of a page. */
  public static final long PAGE = 4096;

  private static final int PROT_NONE = 0;
  private static final int MAP_PRIVATE = 2;
  private static final int MAP_ANONYMOUS = 0x20;
  private static final int MAP_NORESERVE = 0x4000;
  private static final int MREMAP_MAYMOVE = 1;
  private static final int MREMAP_FIXED = 2;
  private static final int MADV_POPULATE_WRITE = 23;

  private static final SystemCall MMAP = SystemCall.bind("mmap", "l:lliiil");
  private static final SystemCall MREMAP = SystemCall.bind("mremap", "l:llli.l");
  private static final SystemCall MADVISE = SystemCall.bind("madvise", "i:lli");
  private static final SystemCall MUNMAP = SystemCall.bind("munmap", "i:ll");

  /**
   * A part of a memory that is mapped.
   *
   * @param address of its first octet in that mapping
   * @param octets greater than 0
   */
  public record Part(long address, long octets) {
    private long firstPage() {
      return address & -PAGE;
    }

    private long pages() {
      return (address + octets + PAGE - 1 & -PAGE) - firstPage();
    }
  }

  private final long start;
  private final long length;
  private final long address;

  private JoinedMemory(long start, long length, long address) {
    this.start = start;
    this.length = length;
    this.address = address;
  }

  /**
   * Maps parts side by side. No page of the new mapping is populated. The memories must stay mapped
   * during the call only.
   *
   * @param parts each but the first begins with a page, and each but the last ends with one; the
   *     mappings that they name are shared ones
   * @throws SystemCallException if the kernel allows no further mapping
   */
  public static JoinedMemory join(List<Part> parts) throws SystemCallException {
    long length = parts.stream().mapToLong(Part::pages).sum();
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    long start = MMAP.call(0, length, PROT_NONE, flags, -1, 0);
    try {
      long place = start;
      for (Part part : parts) {
        MREMAP.call(part.firstPage(), 0, part.pages(), MREMAP_MAYMOVE | MREMAP_FIXED, place);
        place += part.pages();
      }
    } catch (SystemCallException e) {
      MUNMAP.attempt(start, length);
      throw e;
    }
    long inFirstPage = parts.getFirst().address() & (PAGE - 1);
    return new JoinedMemory(start, length, start + inFirstPage);
  }

  /** Address of the first octet of the first part. */
  public long address() {
    return address;
  }

  /** Octets of all pages. */
  public long length() {
    return length;
  }

  /**
   * Maps the pages of a range, so that no access to them faults afterwards.
   *
   * @param offset from the first page on, a multiple of the page size
   * @param octets greater than 0
   */
  public void populate(long offset, long octets) throws SystemCallException {
    MADVISE.call(start + offset, octets, MADV_POPULATE_WRITE);
  }

  /** Unmaps it. */
  @Override
  public void close() {
    MUNMAP.attempt(start, length);
  }
}
