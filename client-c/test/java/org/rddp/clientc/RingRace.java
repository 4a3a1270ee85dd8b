package org.rddp.clientc;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Set;
import org.rddp.client.types.CompletionStatus;
import org.rddp.client.types.Opcode;
import org.rddp.ipc.ring.DaemonRings;
import org.rddp.ipc.ring.WorkRequest;

/**
 * The daemon's end of a race, as in jcstress's tests of the module {@code client}; the program's
 * end is in test/race/rings_race.c, which has these constants in the same order.
 */
// Its requests are used by one thread only.
@SuppressWarnings("ImmutableEnumChecker")
enum RingRace {
  /** A program posts two requests while the daemon takes: whole or not at all, in order, once. */
  SUBMISSION(8, 4, 0, "0, 0", "1, 0", "0, 2", "1, 3") {
    @Override
    int run(DaemonRings daemon) {
      int first = daemon.take(request);
      int one = first == DaemonRings.TAKEN ? (isFirst() ? 1 : -1) : first;
      int second = daemon.take(request);
      if (second != DaemonRings.TAKEN) {
        return pair(one, second);
      }
      if (first == DaemonRings.NOTHING) {
        return pair(one, isFirst() ? 2 : -2);
      }
      return pair(one, isSecond() ? 3 : -3);
    }

    @Override
    String outcome(int daemon, int first, int second) {
      return (daemon >> 8) + ", " + (byte) daemon;
    }
  },

  /**
   * A full ring: the program overwrites a slot only when the daemon has said that it is taken, and
   * the daemon never takes a slot of the lap before again.
   */
  REUSE(4, 8, 0, "4, 0", "4, 1", "5, 1") {
    @Override
    int run(DaemonRings daemon) {
      int count = 0;
      for (int look = 0; look < 8; look++) {
        if (daemon.take(request) == DaemonRings.TAKEN) {
          count = isNumber(count) ? count + 1 : -100;
        }
        daemon.flush();
      }
      return count;
    }

    @Override
    String outcome(int daemon, int first, int second) {
      return daemon + ", " + second;
    }
  },

  /** The daemon reports two completions while the program polls: each is seen whole, in order. */
  COMPLETION(4, 4, 2, "0, 0", "1, 0", "0, 1", "1, 2") {
    @Override
    int run(DaemonRings daemon) {
      for (int i = 1; i <= 2; i++) {
        daemon.claim(1).begin(i, i, i, CompletionStatus.of(i), i).detail(i).submit();
      }
      return 0;
    }

    @Override
    String outcome(int daemon, int first, int second) {
      return first + ", " + second;
    }
  },

  /** A program about to block sees the completion, or the daemon sees that it waits. */
  WAKE_UP(4, 4, 1, "1, 1", "0, 1", "0, 0") {
    @Override
    int run(DaemonRings daemon) {
      daemon.claim(1).begin(1, 0, Opcode.SEND, CompletionStatus.SUCCESS, 0).submit();
      return daemon.flush() ? 1 : 0;
    }

    @Override
    String outcome(int daemon, int first, int second) {
      return first + ", " + daemon;
    }
  },

  /** A daemon about to sleep sees the request, or the program sees that it sleeps and wakes it. */
  SLEEP(4, 4, 0, "1, 1", "0, 1", "0, 0") {
    @Override
    void layOut(DaemonRings daemon) {
      daemon.allowSleep();
    }

    @Override
    int run(DaemonRings daemon) {
      daemon.announceSleep();
      VarHandle.fullFence();
      return daemon.take(request) == DaemonRings.NOTHING ? 1 : 0;
    }

    @Override
    String outcome(int daemon, int first, int second) {
      return daemon + ", " + first;
    }
  };

  final WorkRequest request = new WorkRequest();
  private final int submissionSlots;
  private final int completionSlots;
  private final int takenBefore;
  private final Set<String> acceptable;

  RingRace(int submissionSlots, int completionSlots, int takenBefore, String... acceptable) {
    this.submissionSlots = submissionSlots;
    this.completionSlots = completionSlots;
    this.takenBefore = takenBefore;
    this.acceptable = Set.of(acceptable);
  }

  int submissionSlots() {
    return submissionSlots;
  }

  int completionSlots() {
    return completionSlots;
  }

  Set<String> acceptable() {
    return acceptable;
  }

  /** What the rings of a round have before the program finds them. */
  void layOut(DaemonRings daemon) {}

  /** Takes what the program has posted for a round. */
  void setUp(DaemonRings daemon) {
    for (int i = 0; i < takenBefore; i++) {
      if (daemon.take(request) != DaemonRings.TAKEN || !isNumber(i)) {
        throw new AssertionError("not as it was posted: " + request);
      }
    }
  }

  /** What the daemon does in a round; returns what it has seen. */
  abstract int run(DaemonRings daemon);

  /** What came out of a round, from what the daemon has seen and the program's two results. */
  abstract String outcome(int daemon, int first, int second);

  private static int pair(int first, int second) {
    return (first << 8) | (second & 0xff);
  }

  /** Whether all fields of the request that was taken are the same number. */
  final boolean isNumber(int number) {
    return request.id() == number
        && request.connection() == number
        && request.localStag() == number
        && request.localOffset() == number
        && request.length() == number
        && request.invalidatedStag() == number
        && request.remoteTo() == number;
  }

  final boolean isFirst() {
    return request.opcode() == Opcode.WRITE
        && request.isSignalled()
        && request.id() == 1
        && request.connection() == 2
        && request.localStag() == 3
        && request.localOffset() == 4
        && request.length() == 5
        && request.remoteStag() == 6
        && request.remoteTo() == 7;
  }

  final boolean isSecond() {
    return request.opcode() == Opcode.SEND
        && request.isInline()
        && request.id() == 8
        && request.connection() == 9
        && request.length() == WorkRequest.MAX_INLINE
        && isFilled(request, 0x5a);
  }

  /** Whether every octet that came inline is this one. */
  static boolean isFilled(WorkRequest request, int octet) {
    MemorySegment octets =
        MemorySegment.ofAddress(request.inlineAddress()).reinterpret(request.length());
    for (long i = 0; i < octets.byteSize(); i++) {
      if (octets.get(ValueLayout.JAVA_BYTE, i) != (byte) octet) {
        return false;
      }
    }
    return true;
  }
}
