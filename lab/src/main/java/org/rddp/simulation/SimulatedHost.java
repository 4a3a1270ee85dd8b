package org.rddp.simulation;

import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.IntSupplier;
import java.util.function.LongToIntFunction;
import java.util.random.RandomGenerator;
import org.rddp.device.FlowSteering;
import org.rddp.device.FrameDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.device.SteeredDevice;
import org.rddp.group.StackGroup;
import org.rddp.ip.HostAddress;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.ip.Ipv6Address;
import org.rddp.ip.Ipv6Network;
import org.rddp.tcp.Acceptor;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStack;
import org.rddp.wire.Toeplitz;

/**
 * A host with one card, a TCP stack and the engine thread that drives it. A turn of the duty cycle
 * takes some time. The next turn follows when a frame has arrived or a timer is due.
 *
 * <p>Or with several stacks, to which the card steers frames by a table. Then some of them miss
 * some turns, as if their threads had no processor, and any may be the first in a turn.
 */
public final class SimulatedHost {
  private static final int PREFIX = 24;

  /** High half of IPv6 addresses, whose lowest 32 bits are the IPv4 address. */
  private static final long NETWORK = 0x2001_0db8_0000_0000L;

  private static final long INTERFACE = 1L << 32;
  private static final int IPV6_PREFIX = 64;
  private static final int HEADERS = 14;
  private static final int LEAST_ROOM = 2048;

  /** Duration of a turn by default. */
  private static final long TURN = 1_000;

  /** The longest time between turns without work. */
  private static final long SLOWEST_TURN = 1_000_000;

  private final Network network;
  private final Card card;
  private final Ipv4Address address;
  private final Families families;
  private final TcpSettings settings;
  private final Event awake = this::awake;

  /** For several stacks; null if there is one, for which nothing is drawn. */
  private final SplittableRandom random;

  private final TcpStack[] stacks;
  private final LongToIntFunction[] duties;
  private final boolean changesTable;
  private NativePacketPool pool;

  /** The queues of several stacks; null if there is one. */
  private SteeredDevice queues;

  private StackGroup group;

  private IntSupplier inTurn = () -> 0;
  private Runnable afterTurn = () -> {};
  private long wakeAt = Long.MAX_VALUE;
  private long turnEnds;
  private long turn = TURN;
  private long idle = TURN;
  private boolean off;

  /**
   * A host on the network 10.0.0.0/24 or the like.
   *
   * @param packets in its pool
   * @param mtu of its card, in octets
   */
  public SimulatedHost(
      Network network, String address, TcpSettings settings, int packets, int mtu) {
    this(
        network,
        Ipv4Address.parse(address),
        settings,
        pool(packets, mtu),
        mtu,
        LongFrames.NONE,
        1,
        Families.IPV4);
  }

  /**
   * A host whose packets are those of the given pool.
   *
   * @param mtu at least 1280 with IPv6
   * @param longFrames of its card
   * @param stacks 1 to {@link StackGroup#MOST}, which share the packets
   * @param address names the host, and is its address if it has IPv4
   */
  public SimulatedHost(
      Network network,
      Ipv4Address address,
      TcpSettings settings,
      NativePacketPool pool,
      int mtu,
      LongFrames longFrames,
      int stacks,
      Families families) {
    this.network = network;
    this.address = address;
    this.families = families;
    this.pool = pool;
    card = network.card(pool, mtu, longFrames);
    random = stacks == 1 ? null : network.newRandom();
    this.stacks = new TcpStack[stacks];
    duties = new LongToIntFunction[stacks];
    changesTable = stacks > 1 && random.nextBoolean();
    this.settings = settings;
    card.interrupt(() -> wake(turnEnds));
    boot();
  }

  private void boot() {
    boolean alone = stacks.length == 1;
    group = alone ? new StackGroup(1) : new StackGroup(stacks.length, 2 << random.nextInt(7));
    queues =
        alone
            ? null
            : new SteeredDevice(
                card, stacks.length, steering(FlowSteering.evenTable(stacks.length)));
    for (int i = 0; i < stacks.length; i++) {
      stacks[i] = stack(i, network.newRandom());
      group.member(i).wakeBy(this::scheduleTurn);
    }
    wakeAt = Long.MAX_VALUE;
    wake(network.now());
  }

  private TcpStack stack(int index, RandomGenerator source) {
    return new TcpStack(
        queue(index), addresses(), settings, group.member(index), source, network.now());
  }

  private FrameDevice queue(int index) {
    return stacks.length == 1 ? card : queues.queue(index);
  }

  /**
   * Replaces a stack, which has been closed, by one without connections.
   *
   * @param source of the new stack's random numbers
   */
  public TcpStack replace(int index, RandomGenerator source) {
    group.member(index).vacate(queue(index).pool());
    stacks[index] = stack(index, source);
    return stacks[index];
  }

  private FlowSteering steering(int[] table) {
    byte[] key = new byte[Toeplitz.SHORTEST_IPV6_KEY];
    random.nextBytes(key);
    return new FlowSteering(new Toeplitz(key), table);
  }

  /** Whether its card's table may change. */
  public boolean changesTable() {
    return changesTable;
  }

  /**
   * Changes the card's table: each entry gets a random queue. The stacks choose ports by the former
   * table from now on, or by none.
   */
  public void steerAnew() {
    int[] table = FlowSteering.evenTable(stacks.length);
    for (int i = 0; i < table.length; i++) {
      table[i] = random.nextInt(stacks.length);
    }
    queues.steer(steering(table));
    if (random.nextBoolean()) {
      queues.hideSteering();
    }
  }

  private static NativePacketPool pool(int packets, int mtu) {
    return new NativePacketPool(packets, Math.max(mtu + HEADERS, LEAST_ROOM));
  }

  /** Its card. */
  public Card card() {
    return card;
  }

  /** Its name, and its address if it has IPv4. */
  public Ipv4Address address() {
    return address;
  }

  /** Its addresses and their networks. */
  public InterfaceAddress addresses() {
    InterfaceAddress ipv4 = new InterfaceAddress(address, PREFIX);
    if (!families.ipv6()) {
      return ipv4;
    }
    String secret = address.toString();
    Ipv6Network network =
        new Ipv6Network(ipv6(), IPV6_PREFIX, Optional.empty(), families.routers(), secret);
    return families.ipv4() ? ipv4.withIpv6(network) : new InterfaceAddress(network);
  }

  /** The address that others connect to: the IPv6 address if it has one. */
  public HostAddress connectAddress() {
    return families.ipv6() ? ipv6() : address;
  }

  private Ipv6Address ipv6() {
    return new Ipv6Address(NETWORK, Integer.toUnsignedLong(address.bits()) | INTERFACE);
  }

  /**
   * Its TCP; one of several stacks. Call {@link #scheduleTurn} after using it outside of an upcall.
   */
  public TcpStack stack() {
    return stacks[stacks.length == 1 ? 0 : random.nextInt(stacks.length)];
  }

  /** All of its stacks. */
  public List<TcpStack> stacks() {
    return List.of(stacks);
  }

  /**
   * Listens at a port, with one of its stacks, or several if the card's table will not change: a
   * change between a SYN and its retransmission would let two stacks accept the connection.
   */
  public void listen(int port, Acceptor acceptor) {
    int first = stacks.length == 1 ? 0 : random.nextInt(stacks.length);
    for (int i = 0; i < stacks.length; i++) {
      if (i == first || (!changesTable && random.nextBoolean())) {
        stacks[i].listen(port, acceptor);
      }
    }
  }

  /** The settings of its TCP. */
  public TcpSettings settings() {
    return settings;
  }

  /** Its packets. */
  public NativePacketPool pool() {
    return pool;
  }

  /** Sets the duration of a turn of the duty cycle, in nanoseconds. Frames are queued meanwhile. */
  public void turnDuration(long time) {
    turn = time;
  }

  /**
   * Calls the given code in each turn of the duty cycle, after frames are received and before
   * segments are sent: it takes work requests and sends messages.
   *
   * @param code returns how much work it has done
   */
  public void inTurn(IntSupplier code) {
    inTurn = code;
  }

  /**
   * Replaces the duty cycle of a stack by the given code, which takes the time and returns how much
   * work it has done. If that is more than 0, the next turn follows at once.
   */
  public void duty(int stack, LongToIntFunction code) {
    duties[stack] = code;
  }

  /** Calls the given code after each turn of the duty cycle. */
  public void afterTurn(Runnable code) {
    afterTurn = code;
  }

  /** Schedules a turn as soon as possible. */
  public void scheduleTurn() {
    wake(turnEnds);
  }

  /** Power fails: the host neither sends nor receives from now on. */
  public void powerOff() {
    off = true;
    card.close();
  }

  /** Power is restored: the host knows nothing of its former connections. */
  public void powerOn(NativePacketPool packets) {
    off = false;
    pool = packets;
    card.restart(packets);
    boot();
  }

  /** Whether power has failed. */
  public boolean isOff() {
    return off;
  }

  private void wake(long time) {
    long soon = Math.max(time, network.now());
    if (soon < wakeAt) {
      wakeAt = soon;
      network.events().schedule(soon, awake, soon);
    }
  }

  /** Ignores an event whose turn has been scheduled earlier meanwhile. */
  private void awake(long time) {
    if (time != wakeAt || off) {
      return;
    }
    wakeAt = Long.MAX_VALUE;
    long now = network.now();
    int work = 0;
    boolean again = false;
    boolean skips = stacks.length > 1 && random.nextInt(4) == 0;
    int first = stacks.length == 1 ? 0 : random.nextInt(stacks.length);
    for (int i = 0; i < stacks.length; i++) {
      if (skips && random.nextBoolean()) {
        again = true;
      } else {
        int stack = (first + i) % stacks.length;
        int done = work(stack, now);
        work += done;
        again |= duties[stack] != null && done > 0;
      }
    }
    afterTurn.run();
    idle = work > 0 ? turn : Math.min(idle * 2, Math.max(turn, SLOWEST_TURN));
    turnEnds = now + turn;
    if (card.waiting() > 0 || (queues != null && queues.waiting() > 0) || again) {
      wake(turnEnds);
    } else if (nextDeadline() != Long.MAX_VALUE) {
      wake(Math.max(nextDeadline(), now + idle));
    }
  }

  private long nextDeadline() {
    long earliest = Long.MAX_VALUE;
    for (TcpStack stack : stacks) {
      earliest = Math.min(earliest, stack.nextDeadline());
    }
    return earliest;
  }

  private int work(int index, long now) {
    if (duties[index] != null) {
      return duties[index].applyAsInt(now);
    }
    TcpStack stack = stacks[index];
    int work = stack.receive(now);
    work += inTurn.getAsInt();
    work += stack.advance(now);
    return work + stack.transmit(now);
  }
}
