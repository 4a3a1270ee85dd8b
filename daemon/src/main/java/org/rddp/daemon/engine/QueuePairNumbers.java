package org.rddp.daemon.engine;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.rddp.client.types.Reason;
import org.rddp.group.StackGroup;
import org.rddp.group.StackMember;
import org.rddp.snapshot.Snapshot;

/**
 * The numbers of an interface's queue pairs, by which peers ask for them, at random. A number that
 * has been given back rests for some minutes, so that a peer which has missed the end of one queue
 * pair does not reach another. With several engines, a number's lowest five bits are those of a
 * group of ports whose connections come to the engine of its session ({@link StackGroup#owner}).
 *
 * <p>For the control thread, except where a method says more.
 */
public final class QueuePairNumbers {
  /** Nanoseconds for which a number is not given again. */
  static final long REST = TimeUnit.MINUTES.toNanos(2);

  /** Most numbers, in use and at rest, of all users and of one. */
  static final int MOST = 1 << 18;

  static final int MOST_OF_USER = 1 << 16;

  /** Those below are for queue pairs that connect otherwise, which their programs number. */
  static final int LEAST = 1 << 20;

  private record Resting(int number, int user, long until) {}

  private final int port;
  private final StackGroup stacks;
  private final RandomGenerator random;
  private final LongSupplier clock;
  private final Map<Integer, Session> sessions = new ConcurrentHashMap<>();
  private final Map<Session, Set<Integer>> numbers = new HashMap<>();
  private final Map<Integer, Integer> users = new HashMap<>();
  private final Queue<Resting> resting = new ArrayDeque<>();
  private final Set<Integer> restingNumbers = new HashSet<>();

  /** Numbers that sessions give back, until their engines have answered. */
  private final Set<Integer> leaving = ConcurrentHashMap.newKeySet();

  /**
   * Numbers of which none is in use.
   *
   * @param port the interface's port for introductions; 0: there are no numbers
   * @param stacks of the interface
   * @param random unpredictable, except in a test
   * @param clock time in nanoseconds
   */
  public QueuePairNumbers(int port, StackGroup stacks, RandomGenerator random, LongSupplier clock) {
    this.port = port;
    this.stacks = stacks;
    this.random = random;
    this.clock = clock;
  }

  /** The interface's port for introductions; 0 if it has none. */
  int port() {
    return port;
  }

  /**
   * Gives an engine that the former daemon had not a fair share of the groups of ports: of those of
   * which no number is in use, since connections stay where they are. No stack may have made a
   * turn.
   *
   * @param engine from 0
   * @param engines of the interface
   */
  public void share(int engine, int engines) {
    Set<Integer> used = new HashSet<>();
    sessions.keySet().forEach(each -> used.add(StackMember.group(each)));
    restingNumbers.forEach(each -> used.add(StackMember.group(each)));
    int fair = StackGroup.MOST / engines;
    for (int i = 0; i < StackGroup.MOST && groups(engine) < fair; i++) {
      if (!used.contains(i) && groups(stacks.owner(i)) > fair) {
        stacks.give(i, engine);
      }
    }
  }

  private long groups(int engine) {
    return IntStream.range(0, StackGroup.MOST).filter(each -> stacks.owner(each) == engine).count();
  }

  /** Whether an engine can have numbers, or none has: see {@link #share}. */
  public boolean has(int engine) {
    return port == 0 || groups(engine) > 0;
  }

  /**
   * Draws a number for a session.
   *
   * @param engine the session's, from 0
   * @param most numbers of the session
   */
  public int create(Session session, int engine, int most) throws RequestRefusedException {
    if (port == 0) {
      throw new RequestRefusedException(
          Reason.STATE,
          "queue pairs are connected by rdma_cm only: queue-pair-port of the interface is 0, or its"
              + " MPA begins with a Start Key");
    }
    if (!has(engine)) {
      throw new RequestRefusedException(
          Reason.LIMIT,
          "the session's engine was added while queue pairs had all numbers; a session by the"
              + " interface's name gets another engine");
    }
    endRest();
    Set<Integer> own = numbers.getOrDefault(session, Set.of());
    int user = session.owner().user();
    check(own.size(), most, "numbers of queue pairs of this program");
    check(
        users.getOrDefault(user, 0),
        MOST_OF_USER,
        "numbers of queue pairs of this user, with those given back lately");
    check(
        sessions.size() + resting.size(),
        MOST,
        "numbers of queue pairs of the interface, with those given back lately");
    int number = draw(engine);
    while (sessions.containsKey(number) || restingNumbers.contains(number)) {
      number = draw(engine);
    }
    add(session, number);
    return number;
  }

  private void add(Session session, int number) {
    users.merge(session.owner().user(), 1, Integer::sum);
    numbers.computeIfAbsent(session, each -> new HashSet<>()).add(number);
    sessions.put(number, session);
  }

  private static void check(int used, int most, String what) throws RequestRefusedException {
    if (used >= most) {
      throw new RequestRefusedException(
          Reason.LIMIT, "limit reached: %d of %d %s".formatted(used, most, what));
    }
  }

  private int draw(int engine) {
    int number = random.nextInt(LEAST, Introduction.MOST + 1);
    while (stacks.owner(StackMember.group(number)) != engine) {
      number = random.nextInt(LEAST, Introduction.MOST + 1);
    }
    return number;
  }

  /** Refuses a number that is not the session's, or that it is giving back. */
  public void require(Session session, int number) throws RequestRefusedException {
    if (!session.equals(sessions.get(number)) || leaving.contains(number)) {
      throw new RequestRefusedException(
          Reason.NOT_FOUND, "queue pair number 0x%06x is not of this session".formatted(number));
    }
  }

  /**
   * A session gives a number back, which is its own: {@link #free} or {@link #stay} follows when
   * its engine has answered.
   */
  public void leave(int number) {
    leaving.add(number);
  }

  /** A session keeps a number, since its queue pair still waits for its peer. */
  public void stay(int number) {
    leaving.remove(number);
  }

  /** Whether a session is giving a number back. Any thread may call this. */
  boolean isLeaving(int number) {
    return leaving.contains(number);
  }

  /** The session that has a number; null if none has. Any thread may call this. */
  Session session(int number) {
    return sessions.get(number);
  }

  /** A session has given a number back, which was its own. */
  public void free(Session session, int number) {
    if (sessions.remove(number, session)) {
      Set<Integer> own = numbers.get(session);
      own.remove(number);
      if (own.isEmpty()) {
        numbers.remove(session);
      }
      rest(new Resting(number, session.owner().user(), clock.getAsLong() + REST));
    }
    leaving.remove(number);
  }

  private void rest(Resting given) {
    resting.add(given);
    restingNumbers.add(given.number());
  }

  /** A session has ended: gives all of its numbers back. */
  public void freeAll(Session session) {
    List.copyOf(numbers.getOrDefault(session, Set.of())).forEach(number -> free(session, number));
  }

  /** Transfers the numbers at rest; those of sessions follow. When read, there are none before. */
  public void transfer(Snapshot snapshot) {
    snapshot.begin(QueuePairNumbers.class);
    Iterator<Resting> written = List.copyOf(resting).iterator();
    while (snapshot.flag("resting", written.hasNext())) {
      Resting next = written.hasNext() ? written.next() : null;
      int number = transfer(snapshot, next == null ? 0 : next.number());
      int user = snapshot.number("user", next == null ? 0 : next.user());
      long until = snapshot.number("until", next == null ? 0 : next.until());
      if (next == null) {
        users.merge(user, 1, Integer::sum);
        rest(new Resting(number, user, until));
      }
    }
    snapshot.end();
  }

  /** Transfers the numbers of a session. */
  public void transfer(Snapshot snapshot, Session session) {
    snapshot.begin(QueuePairNumbers.class);
    Iterator<Integer> written =
        numbers.getOrDefault(session, Set.of()).stream().sorted().toList().iterator();
    while (snapshot.flag("numbers", written.hasNext())) {
      int number = transfer(snapshot, snapshot.reads() ? 0 : written.next());
      if (snapshot.reads()) {
        add(session, number);
      }
    }
    snapshot.end();
  }

  private int transfer(Snapshot snapshot, int written) {
    int number = snapshot.number("number", written, LEAST, Introduction.MOST);
    if (snapshot.reads() && (sessions.containsKey(number) || restingNumbers.contains(number))) {
      throw snapshot.wrong("queue pair number 0x%06x is there twice".formatted(number));
    }
    return number;
  }

  private void endRest() {
    long now = clock.getAsLong();
    while (!resting.isEmpty() && resting.peek().until() - now <= 0) {
      Resting rested = resting.remove();
      restingNumbers.remove(rested.number());
      users.computeIfPresent(rested.user(), (user, count) -> count == 1 ? null : count - 1);
    }
  }
}
