package org.rddp.daemon.engine;

import org.rddp.ddp.memory.TaggedBuffer;

/** A range of a program's memory under an STag, as work requests name it. Engine thread only. */
final class SessionRegion {
  private final TaggedBuffer buffer;
  private final long address;
  private final long length;
  private int uses;

  SessionRegion(TaggedBuffer buffer, long address, long length) {
    this.buffer = buffer;
    this.address = address;
    this.length = length;
  }

  /** What DDP knows it as: it may have been invalidated, and the program still has to close it. */
  TaggedBuffer buffer() {
    return buffer;
  }

  /** Whether a range lies in the region; offset and octets are not negative. */
  boolean contains(long offset, long octets) {
    return offset <= length && octets <= length - offset;
  }

  /** Whether a request of the program's may do so much there now. */
  boolean allows(int rights) {
    return buffer.valid() && buffer.permits(rights);
  }

  long address(long offset) {
    return address + offset;
  }

  /** Requests in work that name it: until they end, the memory must stay. */
  int uses() {
    return uses;
  }

  void use() {
    uses++;
  }

  void release() {
    uses--;
  }
}
