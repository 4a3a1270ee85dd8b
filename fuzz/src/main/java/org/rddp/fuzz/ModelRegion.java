package org.rddp.fuzz;

/** A range of the fuzzed memory with its STag, valid or not. */
final class ModelRegion {
  static final int LOCAL_WRITE = 1;
  static final int REMOTE_WRITE = 4;
  static final int REMOTE_READ = 2;
  static final int REMOTE_ATOMIC = 8;
  static final int REMOTE_INVALIDATE = 16;
  static final int ALL =
      LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC | REMOTE_INVALIDATE;

  /** Where it begins in the memory. */
  final int offset;

  final int length;

  /** Tagged Offset of its first octet. */
  final long base;

  final int rights;

  /** Whether the hostile peer's stream is one of those that may use it. */
  final boolean ours;

  /** Whether the hostile peer's stream is the only one that may use it. */
  private boolean exclusive;

  int stag;
  boolean valid;

  ModelRegion(int offset, int length, long base, int rights, boolean ours) {
    this.offset = offset;
    this.length = length;
    this.base = base;
    this.rights = rights;
    this.ours = ours;
  }

  /** Gives it an STag. */
  void name(int name) {
    stag = name;
    valid = true;
  }

  /** For the hostile peer's stream only. */
  ModelRegion exclusive() {
    exclusive = true;
    return this;
  }

  boolean isExclusive() {
    return exclusive;
  }

  boolean permits(int right) {
    return (rights & right) != 0;
  }

  /** Whether the hostile peer may invalidate it. */
  boolean mayBeInvalidated() {
    return exclusive && permits(ALL & ~LOCAL_WRITE);
  }

  /** Whether octets from a Tagged Offset on lie in it; they do not wrap, and are at least one. */
  boolean holds(long to, long octets) {
    return Long.compareUnsigned(to, base) >= 0
        && Long.compareUnsigned(to + (octets - 1), base + (length - 1)) <= 0;
  }

  /** Where the octet at a Tagged Offset lies in the memory. */
  int at(long to) {
    return offset + (int) (to - base);
  }
}
