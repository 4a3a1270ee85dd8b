package org.rddp.simulation;

import java.util.function.IntSupplier;
import java.util.function.LongToIntFunction;
import org.rddp.device.NativePacketPool;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStack;

/**
 * A host with one card, a TCP stack and the engine thread that drives it. A turn of the duty cycle
 * takes some time. The next turn follows when a frame has arrived or a timer is due.
 */
public final class SimulatedHost {
  private static final int PREFIX = 24;
  private static final int HEADERS = 14;
  private static final int LEAST_ROOM = 2048;

  /** Duration of a turn by default. */
  private static final long TURN = 1_000;

  /** The longest time between turns without work. */
  private static final long SLOWEST_TURN = 1_000_000;

  private final Network network;
  private final Card card;
  private final Ipv4Address address;
  private final TcpSettings settings;
  private final Event awake = this::awake;
  private NativePacketPool pool;
  private TcpStack stack;
  private IntSupplier inTurn = () -> 0;
  private LongToIntFunction duty;
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
    this(network, Ipv4Address.parse(address), settings, pool(packets, mtu), mtu);
  }

  /** A host whose packets are those of the given pool. */
  public SimulatedHost(
      Network network, Ipv4Address address, TcpSettings settings, NativePacketPool pool, int mtu) {
    this.network = network;
    this.address = address;
    this.pool = pool;
    card = network.card(pool, mtu);
    this.settings = settings;
    card.interrupt(() -> wake(turnEnds));
    boot();
  }

  private void boot() {
    stack =
        new TcpStack(
            card,
            new InterfaceAddress(address, PREFIX),
            settings,
            network.newRandom(),
            network.now());
    wakeAt = Long.MAX_VALUE;
    wake(network.now());
  }

  private static NativePacketPool pool(int packets, int mtu) {
    return new NativePacketPool(packets, Math.max(mtu + HEADERS, LEAST_ROOM));
  }

  /** Its card. */
  public Card card() {
    return card;
  }

  /** Its address. */
  public Ipv4Address address() {
    return address;
  }

  /**
   * Its TCP. What is done with it outside of an upcall is to be followed by {@link #scheduleTurn}.
   */
  public TcpStack stack() {
    return stack;
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
   * Replaces the duty cycle by the given code, which takes the time and returns how much work it
   * has done. If that is more than 0, the next turn follows at once.
   */
  public void duty(LongToIntFunction code) {
    duty = code;
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
    int work = duty == null ? work(now) : duty.applyAsInt(now);
    afterTurn.run();
    idle = work > 0 ? turn : Math.min(idle * 2, Math.max(turn, SLOWEST_TURN));
    turnEnds = now + turn;
    if (card.waiting() > 0 || (duty != null && work > 0)) {
      wake(turnEnds);
    } else if (stack.nextDeadline() != Long.MAX_VALUE) {
      wake(Math.max(stack.nextDeadline(), now + idle));
    }
  }

  private int work(long now) {
    int work = stack.receive(now);
    work += inTurn.getAsInt();
    work += stack.advance(now);
    return work + stack.transmit(now);
  }
}
