package org.rddp.daemon.engine;

import org.rddp.ddp.memory.DdpReferences;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.TaggedBuffer;
import org.rddp.snapshot.Snapshot;

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

  /** The region in DDP. It may have been invalidated; the program must still close it. */
  TaggedBuffer buffer() {
    return buffer;
  }

  /** Whether a range lies in the region; offset and octets are not negative. */
  boolean contains(long offset, long octets) {
    return offset <= length && octets <= length - offset;
  }

  /** Whether a request of the program, posted in a domain, may use it with these rights now. */
  boolean allows(ProtectionDomain domain, int rights) {
    return buffer.isIn(domain) && buffer.valid() && buffer.permits(rights);
  }

  long address(long offset) {
    return address + offset;
  }

  /** The Tagged Offset of the octet at an offset. */
  long to(long offset) {
    return buffer.baseTo() + offset;
  }

  /** Outstanding requests that name it. */
  int uses() {
    return uses;
  }

  void use() {
    uses++;
  }

  void release() {
    uses--;
  }

  /**
   * Transfers a region, but not who uses it.
   *
   * @param written the region; null if it is read
   */
  static SessionRegion transfer(
      Snapshot snapshot, DdpReferences references, SessionRegion written) {
    boolean reads = written == null;
    snapshot.begin(SessionRegion.class);
    TaggedBuffer buffer = references.buffer(snapshot, "buffer", reads ? null : written.buffer);
    long length = snapshot.number("length", reads ? 0 : written.length, 1, Long.MAX_VALUE);
    long address =
        references.memories().transfer(snapshot, "address", reads ? 0 : written.address, length);
    snapshot.end();
    if (buffer == null || address == 0) {
      throw snapshot.wrong("a region has no memory");
    }
    return reads ? new SessionRegion(buffer, address, length) : written;
  }

  /** A region that has no STag and no memory any more, for the requests that name it. */
  static SessionRegion revoked() {
    return new SessionRegion(TaggedBuffer.ended(), 0, 0);
  }
}
