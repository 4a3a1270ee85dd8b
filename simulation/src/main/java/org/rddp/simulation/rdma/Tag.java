package org.rddp.simulation.rdma;

/** An STag as its owner knows it: a region, or a window onto one. */
final class Tag {
  private final int stag;
  private final Tag region;
  private final int from;
  private final int length;
  private final long baseTo;
  private final int rights;
  private final boolean foreign;
  private boolean live = true;
  private boolean givenUp;
  private boolean pinned;

  /**
   * A name that has been given.
   *
   * @param region what it is a window onto, or null
   * @param from where in its owner's memory it begins
   * @param foreign whether it is tied to another stream, or to another protection domain
   */
  Tag(int stag, Tag region, int from, int length, long baseTo, int rights, boolean foreign) {
    this.stag = stag;
    this.region = region;
    this.from = from;
    this.length = length;
    this.baseTo = baseTo;
    this.rights = rights;
    this.foreign = foreign;
  }

  int stag() {
    return stag;
  }

  boolean window() {
    return region != null;
  }

  /** Whether it ends when another does: it is that one, or a window onto it. */
  boolean under(Tag other) {
    return this == other || region == other;
  }

  int from() {
    return from;
  }

  int length() {
    return length;
  }

  /** Behind the last octet. */
  int end() {
    return from + length;
  }

  /** Tagged Offset of an octet of the memory. */
  long to(int at) {
    return baseTo + (at - from);
  }

  boolean foreign() {
    return foreign;
  }

  boolean permits(int wanted) {
    return (rights & wanted) == wanted;
  }

  /** Whether the name exists. */
  boolean live() {
    return live && (region == null || region.live);
  }

  /** The name has been taken away. */
  void revoke() {
    live = false;
  }

  /** The peer has posted a message that invalidates it: it uses it no more. */
  void giveUp() {
    givenUp = true;
  }

  boolean givenUp() {
    return givenUp || (region != null && region.givenUp);
  }

  /** A request that is wrong in another way names it: it stays until that is found out. */
  void pin() {
    pinned = true;
  }

  boolean pinned() {
    return pinned;
  }

  /** Whether a peer that does nothing wrong may use it so. */
  boolean usable(int wanted) {
    return live() && !foreign && !givenUp() && permits(wanted);
  }
}
