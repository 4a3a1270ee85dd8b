package org.rddp.daemon.engine;

import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.rddp.ddp.receiving.HeldShare;
import org.rddp.ipc.ring.Doorbells;
import org.rddp.ipc.ring.StreamHeader;
import org.rddp.snapshot.Snapshot;

/**
 * The octet streams of one program on one engine, and the doorbells by which the program says which
 * of them have something new. Engine thread only, except the constant parts.
 */
public final class StreamSection {
  /** Streams that are looked at in a turn. */
  private static final int STREAMS = 64;

  private static final int FIRST_SIZE = 16;

  private final Engine engine;
  private final int number;
  private final SessionOwner owner;
  private final Doorbells doorbells;
  private HeldShare held;
  private final Consumer<Runnable> waker;
  private StreamWaiter[] waiters = new StreamWaiter[0];
  private OctetStream[] streams = new OctetStream[FIRST_SIZE];
  private int count;
  private StreamSections sleepsAs;

  /** Words and bits that have been taken and not looked at. */
  private long groups;

  private int word = -1;
  private long bits;

  /** Whether the program has left, while others hold streams of it. */
  private boolean left;

  /**
   * Creates a section without streams.
   *
   * @param number of the section among the program's
   * @param doorbells in memory that is safe to use
   * @param waker runs what wakes the program; allocates nothing
   */
  public StreamSection(
      Engine engine,
      int number,
      SessionOwner owner,
      Doorbells doorbells,
      Consumer<Runnable> waker) {
    this.waker = waker;
    this.engine = engine;
    this.number = number;
    this.owner = owner;
    this.doorbells = doorbells;
  }

  /** The engine. */
  public Engine engine() {
    return engine;
  }

  /** Its number among the program's. */
  public int number() {
    return number;
  }

  /** The program's user and process. */
  public SessionOwner owner() {
    return owner;
  }

  /** What its thread's sleep has it in. */
  void sleepAs(StreamSections all) {
    sleepsAs = all;
  }

  StreamSections sleepsAs() {
    return sleepsAs;
  }

  /** Runs what wakes the program. */
  void wake(Runnable signal) {
    waker.accept(signal);
  }

  /**
   * Begins to tell a waiter of streams.
   *
   * @param number that the streams' headers name it by, greater than 0
   */
  public void add(int number, StreamWaiter waiter) {
    if (number >= waiters.length) {
      waiters = Arrays.copyOf(waiters, number + 1);
    }
    waiters[number] = waiter;
  }

  /** Tells a waiter no more. */
  public void removeWaiter(int number) {
    if (number < waiters.length) {
      waiters[number] = null;
    }
  }

  /**
   * Tells the waiter of a stream that there is something new.
   *
   * @param word as the program has written it, see {@link StreamHeader#waiterWord}
   */
  void tell(int word) {
    int number = StreamHeader.waiter(word);
    StreamWaiter waiter = number < waiters.length ? waiters[number] : null;
    if (waiter != null && waiter.bells().ring(StreamHeader.waiterBit(word))) {
      wake(waiter.signal());
    }
  }

  /** The process's share of the memory for held messages. */
  HeldShare held() {
    return held;
  }

  /**
   * Begins to be served: shares the held memory of its user and process with these.
   *
   * @param sessions of the engine
   * @param sections of the engine
   */
  void shareHeldMemory(List<Session> sessions, List<StreamSection> sections) {
    HeldShare ofUser = null;
    for (Session each : sessions) {
      if (shares(each.owner(), each.heldShare())) {
        return;
      }
      ofUser = each.owner().user() == owner.user() ? each.heldShare().parent() : ofUser;
    }
    for (StreamSection each : sections) {
      if (shares(each.owner, each.held)) {
        return;
      }
      ofUser = each.owner.user() == owner.user() ? each.held.parent() : ofUser;
    }
    held =
        new HeldShare(
            owner.processHeld(), ofUser == null ? new HeldShare(owner.userHeld(), null) : ofUser);
  }

  private boolean shares(SessionOwner other, HeldShare share) {
    boolean same = other.user() == owner.user() && other.process() == owner.process();
    held = same ? share : held;
    return same;
  }

  void add(OctetStream stream) {
    int index = stream.parts().index();
    if (index >= streams.length) {
      streams = Arrays.copyOf(streams, Math.max(2 * streams.length, index + 1));
    }
    streams[index] = stream;
    count++;
  }

  void remove(OctetStream stream) {
    int index = stream.parts().index();
    if (streams[index] == stream) {
      streams[index] = null;
      count--;
    }
  }

  /**
   * The next streams at this moment.
   *
   * @param from index of the first one
   * @param most streams
   * @return the index to go on from, -1 if there are no more
   */
  public int status(int from, int most, List<ConnectionStatus> into) {
    for (int index = from; index < streams.length; index++) {
      if (into.size() == most) {
        return index;
      }
      ConnectionStatus status = streams[index] == null ? null : streams[index].status();
      if (status != null) {
        into.add(status);
      }
    }
    return -1;
  }

  /** Whether it has no stream. */
  boolean isEmpty() {
    return count == 0;
  }

  /** The program has left. */
  void leave() {
    left = true;
  }

  boolean hasLeft() {
    return left;
  }

  /** Looks at streams whose doorbells have rung. Returns how many. */
  int take() {
    int looked = 0;
    while (looked < STREAMS) {
      if (bits == 0) {
        if (++word % Doorbells.GROUP == 0) {
          groups = groups == 0 && looked == 0 ? doorbells.takeGroups() : groups;
          if (groups == 0) {
            word--;
            return looked;
          }
          word = Long.numberOfTrailingZeros(groups) * Doorbells.GROUP;
          groups &= groups - 1;
        }
        bits = doorbells.takeBits(word);
        if (bits == 0) {
          looked++;
          continue;
        }
      }
      int index = word * Long.SIZE + Long.numberOfTrailingZeros(bits);
      bits &= bits - 1;
      looked++;
      OctetStream stream = index < streams.length ? streams[index] : null;
      if (stream != null) {
        engine.streams().ring(stream);
      }
    }
    return looked;
  }

  /** Transfers what has been taken of the doorbells, and whether the program has left. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(StreamSection.class);
    groups = snapshot.number("groups", groups);
    word = snapshot.number("word", word, -1, Doorbells.STREAMS / Long.SIZE - 1);
    bits = snapshot.number("bits", bits);
    left = snapshot.flag("left", left);
    snapshot.end();
  }

  /** See {@link SleepAware}. */
  void announceSleep() {
    doorbells.announceSleep();
  }

  /** See {@link SleepAware}. */
  boolean endSleep() {
    return doorbells.endSleep();
  }

  /** Says on which processor the engine's thread runs. */
  void runsOn(int processor) {
    doorbells.runsOn(processor);
  }

  /** Whether streams are to be looked at. */
  boolean isBlocked() {
    return bits != 0 || groups != 0 || (word + 1) % Doorbells.GROUP != 0;
  }
}
