package org.rddp.simulation;

/**
 * Two cards joined both ways: in each direction a middlebox that may re-segment, a router that may
 * be narrow, and a wire.
 */
public final class Link {
  private final Wire there;
  private final Wire back;
  private final Router routerThere;
  private final Router routerBack;
  private final ReSegmenter boxThere;
  private final ReSegmenter boxBack;

  Link(Network network, Card first, Card second, WireSettings there, WireSettings back) {
    int mtu = Math.min(first.mtu(), second.mtu());
    this.there = new Wire(network, there, second);
    this.back = new Wire(network, back, first);
    routerThere = new Router(network, mtu, this.there, this.back);
    routerBack = new Router(network, mtu, this.back, this.there);
    boxThere = new ReSegmenter(network, routerThere);
    boxBack = new ReSegmenter(network, routerBack);
    first.connect(boxThere);
    second.connect(boxBack);
  }

  /** The wire from the first card to the second. */
  public Wire there() {
    return there;
  }

  /** The wire from the second card to the first. */
  public Wire back() {
    return back;
  }

  /**
   * Re-segments what goes either way from now on.
   *
   * @param often how many segments are meddled with, 0 to 1
   */
  public void reSegment(double often) {
    boxThere.meddle(often);
    boxBack.meddle(often);
  }

  /**
   * Takes no larger packets in either direction from now on.
   *
   * @param mtu their octets
   * @param silently whether the senders of larger ones are not told
   */
  public void narrow(int mtu, boolean silently) {
    routerThere.narrow(mtu, silently);
    routerBack.narrow(mtu, silently);
  }

  /** Cuts both wires, or joins them again. */
  public void cut(boolean now) {
    there.cut(now);
    back.cut(now);
  }
}
