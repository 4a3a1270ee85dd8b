package org.rddp.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import org.rddp.device.PacketPool;
import org.rddp.tcp.TcpSettings;

/**
 * Hosts, cards and wires in virtual time, with random faults from one seed: the same seed gives the
 * same run, to the octet.
 *
 * <pre>{@code
 * Network network = new Network(42);
 * Host client = network.host("10.0.0.1", TcpSettings.DEFAULTS);
 * Host server = network.host("10.0.0.2", TcpSettings.DEFAULTS);
 * network.join(client.card(), server.card(), WireSettings.PERFECT.withDelay(5_000_000));
 * server.stack().listen(7, acceptor);
 * client.stack().connect(server.address(), 7, handler);
 * network.run(() -> handler.finished(), network.now() + 60 * SECOND);
 * }</pre>
 */
public final class Network {
  private static final int MTU = 1500;
  private static final int PACKETS = 4096;
  private static final long SECOND = 1_000_000_000L;

  private final SplittableRandom random;
  private final EventQueue agenda;
  private final FrameStore frames;
  private final List<NetworkListener> witnesses = new ArrayList<>();
  private final NetworkCounters counters = new NetworkCounters();
  private int cards;

  /** An empty network. */
  public Network(long seed) {
    this(seed, new FrameStore());
  }

  /** An empty network whose frames lie in the given store, which other networks have used. */
  public Network(long seed, FrameStore frames) {
    this.frames = frames;
    random = new SplittableRandom(seed);
    agenda = new EventQueue(random.nextLong(SECOND));
    addListener(counters);
  }

  /** The scheduled events. */
  public EventQueue events() {
    return agenda;
  }

  /** The time in nanoseconds. */
  public long now() {
    return agenda.now();
  }

  /** The frames under way. */
  public FrameStore frames() {
    return frames;
  }

  /** Counts of what was done to frames. */
  public NetworkCounters counters() {
    return counters;
  }

  /** A new generator; the seed and the order of the calls determine its numbers. */
  public SplittableRandom newRandom() {
    return random.split();
  }

  /** Adds a listener, which is told of everything that is done to frames. */
  public void addListener(NetworkListener witness) {
    witnesses.add(witness);
  }

  /**
   * A card, not joined to anything yet, with a MAC address of its own.
   *
   * @param mtu largest IP packet in octets
   */
  public Card card(PacketPool pool, int mtu) {
    return card(pool, mtu, LongFrames.NONE);
  }

  /** A card with long frames. */
  public Card card(PacketPool pool, int mtu, LongFrames longFrames) {
    return new Card(this, pool, 0x02_00_00_00_00_00L + ++cards, mtu, longFrames);
  }

  /** A host with the default number of packets and MTU. */
  public SimulatedHost host(String address, TcpSettings settings) {
    return new SimulatedHost(this, address, settings, PACKETS, MTU);
  }

  /** Joins two cards by a link that is the same in both directions. */
  public SimulatedLink join(Card first, Card second, WireSettings settings) {
    return join(first, second, settings, settings);
  }

  /** Joins two cards by a link: how it is from the first to the second, and back. */
  public SimulatedLink join(Card first, Card second, WireSettings there, WireSettings back) {
    return new SimulatedLink(this, first, second, there, back);
  }

  /**
   * Runs events until a condition holds or no event is left.
   *
   * @param done the condition, evaluated after every event
   * @param until the time of the last event to run
   * @return whether the condition holds
   */
  public boolean run(BooleanSupplier done, long until) {
    while (!done.getAsBoolean()) {
      if (agenda.next() > until || !agenda.step()) {
        return false;
      }
    }
    return true;
  }

  // Called by hops.

  void report(NetworkEvent event, long frame) {
    report(event, frame, 0);
  }

  void report(NetworkEvent event, long frame, int detail) {
    long address = frames.address(frame);
    int length = frames.length(frame);
    for (int i = 0; i < witnesses.size(); i++) {
      witnesses.get(i).onEvent(event, address, length, detail);
    }
  }

  void drop(NetworkEvent event, long frame) {
    report(event, frame);
    frames.release(frame);
  }
}
