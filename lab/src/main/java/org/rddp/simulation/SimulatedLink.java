package org.rddp.simulation;

/**
 * Two cards joined in both directions. Each direction has a middlebox that may re-segment, a router
 * whose MTU may fall, a middlebox that may fragment, and a wire.
 */
public final class SimulatedLink {
  private final SimulatedWire there;
  private final SimulatedWire back;
  private final Router routerThere;
  private final Router routerBack;
  private final Fragmenter fragmenterThere;
  private final Fragmenter fragmenterBack;
  private final ReSegmenter boxThere;
  private final ReSegmenter boxBack;

  SimulatedLink(Network network, Card first, Card second, WireSettings there, WireSettings back) {
    // Cards that do not cut send long frames only where the whole link carries them.
    boolean whole = first.passesLongFrames() && second.passesLongFrames();
    int mtu =
        whole
            ? Math.min(first.longestFrame(), second.longestFrame())
            : Math.min(first.mtu(), second.mtu());
    this.there = new SimulatedWire(network, there, second);
    this.back = new SimulatedWire(network, back, first);
    fragmenterThere = new Fragmenter(network, this.there);
    fragmenterBack = new Fragmenter(network, this.back);
    routerThere = new Router(network, mtu, fragmenterThere, this.back);
    routerBack = new Router(network, mtu, fragmenterBack, this.there);
    boxThere = new ReSegmenter(network, routerThere);
    boxBack = new ReSegmenter(network, routerBack);
    first.connect(boxThere);
    second.connect(boxBack);
  }

  /** The wire from the first card to the second. */
  public SimulatedWire forward() {
    return there;
  }

  /** The wire from the second card to the first. */
  public SimulatedWire backward() {
    return back;
  }

  /**
   * Starts to re-segment in both directions.
   *
   * @param often share of the segments that are changed, 0 to 1
   */
  public void reSegment(double often) {
    boxThere.setRate(often);
    boxBack.setRate(often);
  }

  /**
   * Reduces the MTU of both directions.
   *
   * @param mtu in octets
   * @param silently whether senders of larger packets get no ICMP error
   */
  public void reduceMtu(int mtu, boolean silently) {
    routerThere.reduceMtu(mtu, silently);
    routerBack.reduceMtu(mtu, silently);
  }

  /**
   * Starts to fragment larger packets in both directions.
   *
   * @param largest octets of the largest IP packet that is not fragmented, at least 68
   */
  public void fragment(int largest) {
    fragmenterThere.fragment(largest);
    fragmenterBack.fragment(largest);
  }

  /**
   * Loses messages of Neighbour Discovery more often than other frames, in both directions.
   *
   * @param share that is lost, 0 to 1
   */
  public void loseNeighbourMessages(double share) {
    there.loseNeighbourMessages(share);
    back.loseNeighbourMessages(share);
  }

  /** Disconnects both wires, or connects them again. */
  public void cut(boolean now) {
    there.cut(now);
    back.cut(now);
  }
}
