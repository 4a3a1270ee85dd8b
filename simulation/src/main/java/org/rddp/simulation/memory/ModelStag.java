package org.rddp.simulation.memory;

/** An STag as its owner knows it: a region, or a window onto one. */
public final class ModelStag {
  private final int stag;
  private final ModelStag region;
  private final int from;
  private final int length;
  private final long baseTo;
  private final int rights;
  private final boolean exclusive;
  private boolean live = true;
  private boolean givenUp;
  private boolean pinned;

  /**
   * A name that has been given.
   *
   * @param region what it is a window onto, or null
   * @param from where in its owner's memory it begins
   * @param exclusive whether only one connection may use it
   */
  public ModelStag(
      int stag, ModelStag region, int from, int length, long baseTo, int rights, boolean exclusive) {
    this.stag = stag;
    this.region = region;
    this.from = from;
    this.length = length;
    this.baseTo = baseTo;
    this.rights = rights;
    this.exclusive = exclusive;
  }

  public int stag() {
    return stag;
  }

  public boolean window() {
    return region != null;
  }

  /** Whether it ends when another does: it is that one, or a window onto it. */
  public boolean under(ModelStag other) {
    return this == other || region == other;
  }

  public int from() {
    return from;
  }

  public int length() {
    return length;
  }

  /** Behind the last octet. */
  public int end() {
    return from + length;
  }

  /** Tagged Offset of an octet of the memory. */
  public long to(int at) {
    return baseTo + (at - from);
  }

  /** Whether only one connection may use it. */
  public boolean exclusive() {
    return exclusive;
  }

  /** What it allows, in bits that mean something to who has given them. */
  public int rights() {
    return rights;
  }

  public boolean permits(int wanted) {
    return (rights & wanted) == wanted;
  }

  /** Whether the name exists. */
  public boolean live() {
    return live && (region == null || region.live);
  }

  /** The name has been taken away. */
  public void revoke() {
    live = false;
  }

  /** The peer has posted a message that invalidates it: it uses it no more. */
  public void giveUp() {
    givenUp = true;
  }

  public boolean givenUp() {
    return givenUp || (region != null && region.givenUp);
  }

  /** Whether it is a window, and nobody has given up the region that it is onto. */
  public boolean regionStays() {
    return region != null && !region.givenUp && region.live;
  }

  /** A request that is wrong in another way names it: it stays until that is found out. */
  public void pin() {
    pinned = true;
  }

  public boolean pinned() {
    return pinned;
  }

  /** Whether a peer that does nothing wrong may use it so. */
  public boolean usable(int wanted) {
    return live() && !givenUp() && permits(wanted);
  }
}
