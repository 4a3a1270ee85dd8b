package org.rddp.daemon.engine;

/** A range of a program's memory under an STag, as work requests name it. Engine thread only. */
final class SessionRegion {
  private final int stag;
  private final long address;
  private final long length;
  private final int rights;
  private int uses;
  private boolean invalidated;

  SessionRegion(int stag, long address, long length, int rights) {
    this.stag = stag;
    this.address = address;
    this.length = length;
    this.rights = rights;
  }

  int stag() {
    return stag;
  }

  /** Whether a range lies in the region; offset and octets are not negative. */
  boolean contains(long offset, long octets) {
    return offset <= length && octets <= length - offset;
  }

  boolean allows(int right) {
    return (rights & right) != 0;
  }

  long address(long offset) {
    return address + offset;
  }

  /** The peer has taken the STag back: it may name something else by now. */
  void invalidate() {
    invalidated = true;
  }

  boolean invalidated() {
    return invalidated;
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
