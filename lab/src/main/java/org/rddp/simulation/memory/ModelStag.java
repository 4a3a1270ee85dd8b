package org.rddp.simulation.memory;

/** An STag as its owner knows it: a region, or a window bound to one. */
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
  private boolean leaving;
  private boolean pinned;

  /**
   * An STag that has been assigned.
   *
   * @param region that the window is bound to; null for a region
   * @param from offset in the owner's memory
   * @param exclusive whether only one connection may use it
   */
  public ModelStag(
      int stag,
      ModelStag region,
      int from,
      int length,
      long baseTo,
      int rights,
      boolean exclusive) {
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

  /** Whether it is the other one, or a window bound to that. */
  public boolean under(ModelStag other) {
    return this == other || region == other;
  }

  public int from() {
    return from;
  }

  public int length() {
    return length;
  }

  /** Offset behind the last octet. */
  public int end() {
    return from + length;
  }

  /** Tagged Offset of an octet at an offset in the memory. */
  public long to(int at) {
    return baseTo + (at - from);
  }

  /** Whether only one connection may use it. */
  public boolean exclusive() {
    return exclusive;
  }

  /** Access rights, in the bits of its owner. */
  public int rights() {
    return rights;
  }

  public boolean permits(int wanted) {
    return (rights & wanted) == wanted;
  }

  /** Whether it is valid. */
  public boolean live() {
    return live && (region == null || region.live);
  }

  /** It was revoked. */
  public void revoke() {
    live = false;
  }

  /**
   * The peer has posted a message that invalidates it, or its owner revokes it soon: it is not used
   * in new requests.
   */
  public void giveUp() {
    givenUp = true;
  }

  /**
   * Its owner asks to revoke it while a window is bound to it: new requests use only the window.
   */
  public void leaves(boolean asked) {
    leaving = asked;
  }

  public boolean givenUp() {
    return givenUp || leaving || (region != null && region.givenUp);
  }

  /** Whether it is a window whose region stays valid. */
  public boolean regionStays() {
    return region != null && !region.givenUp && region.live;
  }

  /** A wrong request names it: it must stay valid until the peer finds the error. */
  public void pin() {
    pinned = true;
  }

  public boolean pinned() {
    return pinned;
  }

  /** Whether a correct request may use it with these rights. */
  public boolean usable(int wanted) {
    return live() && !givenUp() && permits(wanted);
  }
}
