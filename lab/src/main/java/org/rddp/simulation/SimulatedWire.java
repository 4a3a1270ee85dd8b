package org.rddp.simulation;

import java.util.SplittableRandom;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;

/**
 * One direction of a link, with a queue, a bandwidth, a delay and random impairments. Frames leave
 * it in the order in which they came, except those that are chosen to be late.
 */
public final class SimulatedWire implements Hop {
  private static final long SECOND = 1_000_000_000L;

  private final Network network;
  private final SplittableRandom random;
  private final Corruption corruption;
  private final Hop next;
  private final Event arrival = this::arrive;
  private WireSettings settings;
  private LossBursts bursts;
  private long freeAt;
  private long lastArrival;
  private boolean cut;
  private double neighbourLoss;

  /** A wire to the given hop. */
  public SimulatedWire(Network network, WireSettings settings, Hop next) {
    this.network = network;
    this.next = next;
    random = network.newRandom();
    corruption = new Corruption(random.split());
    settings(settings);
  }

  /** Changes the properties of the wire for later frames. */
  public void settings(WireSettings changed) {
    settings = changed;
    bursts = new LossBursts(changed, random.split(), network.now());
  }

  /** The present properties of the wire. */
  public WireSettings settings() {
    return settings;
  }

  /** Disconnects the wire, so that all frames are lost, or connects it again. */
  public void cut(boolean now) {
    cut = now;
  }

  /**
   * Loses messages of Neighbour Discovery more often than other frames.
   *
   * @param share that is lost, 0 to 1
   */
  public void loseNeighbourMessages(double share) {
    neighbourLoss = share;
  }

  @Override
  public void take(long frame) {
    if (cut || lost()) {
      network.drop(NetworkEvent.LOST, frame);
      return;
    }
    FrameStore frames = network.frames();
    if (SegmentView.isNeighbourMessage(frames.address(frame), frames.length(frame))
        && chance(neighbourLoss)) {
      network.drop(NetworkEvent.NEIGHBOUR_LOST, frame);
      return;
    }
    long leaves = enqueue(frames.length(frame));
    if (leaves < 0) {
      network.drop(NetworkEvent.OVERFLOWED, frame);
      return;
    }
    spoil(frame);
    if (chance(settings.duplicate())) {
      network.report(NetworkEvent.DUPLICATED, frame);
      send(frames.copy(frame), leaves);
    }
    send(frame, leaves);
  }

  private boolean lost() {
    boolean burst = settings.burstLoss() > 0 && bursts.bad(network.now());
    return chance(burst ? settings.burstLoss() : settings.loss());
  }

  /** The time at which a frame has left the queue; -1 if the queue is full. */
  private long enqueue(int length) {
    long now = network.now();
    if (settings.bandwidth() == Long.MAX_VALUE) {
      return now;
    }
    double perOctet = 8.0 * SECOND / settings.bandwidth();
    long begins = Math.max(now, freeAt);
    if ((begins - now) / perOctet > settings.queue()) {
      return -1;
    }
    freeAt = begins + (long) (length * perOctet);
    return freeAt;
  }

  private void spoil(long frame) {
    long address = network.frames().address(frame);
    if (chance(settings.mark()) && mark(address)) {
      network.report(NetworkEvent.MARKED, frame);
    }
    if (chance(settings.corruptUnseen())) {
      int index = corruption.flipBitUndetected(address, network.frames().length(frame));
      if (index >= 0) {
        network.report(NetworkEvent.CORRUPTED_UNSEEN, frame, index);
      }
    }
    if (chance(settings.corrupt()) && corruption.flipBit(address)) {
      network.report(NetworkEvent.CORRUPTED, frame);
    }
  }

  private static boolean mark(long frame) {
    int type = Ethernet.type(frame);
    if (type != Ethernet.TYPE_IPV4 && type != Ethernet.TYPE_IPV6) {
      return false;
    }
    long packet = frame + Ethernet.HEADER;
    int codepoint = SegmentView.ecn(packet);
    if (codepoint == Ipv4.NOT_ECT || codepoint == Ipv4.CE) {
      return false;
    }
    SegmentView.congestionExperienced(packet);
    return true;
  }

  private void send(long frame, long leaves) {
    long delay = settings.delay() + upTo(settings.jitter());
    long arrives = Math.max(leaves + delay, lastArrival);
    if (chance(settings.reorder())) {
      network.report(NetworkEvent.REORDERED, frame);
      arrives += 1 + upTo(settings.reorderDelay());
    } else {
      lastArrival = arrives;
    }
    network.events().schedule(arrives, arrival, frame);
  }

  private void arrive(long frame) {
    next.take(frame);
  }

  private boolean chance(double probability) {
    return probability > 0 && random.nextDouble() < probability;
  }

  private long upTo(long most) {
    return most == 0 ? 0 : random.nextLong(most + 1);
  }
}
