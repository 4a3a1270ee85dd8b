package org.rddp.daemon.control;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.rddp.daemon.configuration.Limits;
import org.rddp.ipc.linux.PeerCredentials;

/**
 * Limits the connected programs without a session: silent ones make room for others, the oldest
 * first. Programs with a session are limited by the quota of sessions. Control thread only.
 */
final class WaitingPrograms {
  /**
   * Most programs that wait, in addition to the sessions. A process whose threads connect at once
   * needs a place for each of them, because Hello follows a while after connect(2).
   */
  static final int MOST = 256;

  private final int mostOfUser;
  private final int mostOfProcess;

  WaitingPrograms(Limits limits) {
    this.mostOfUser = (int) Limits.share(MOST, limits.userShare());
    this.mostOfProcess = (int) Limits.share(MOST, limits.processShare());
  }

  /**
   * The program to end in favour of the latest; null if there is room. It belongs to the process or
   * user that exceeds its share, otherwise to the user with the most programs.
   *
   * @param programs all connected programs, the oldest first
   */
  ProgramSession victim(Collection<ProgramSession> programs, ProgramSession latest) {
    PeerCredentials newcomer = latest.process();
    List<ProgramSession> waiting = new ArrayList<>();
    Map<Integer, Integer> byUser = new HashMap<>();
    int ofProcess = 0;
    for (ProgramSession program : programs) {
      if (program.isWaiting()) {
        waiting.add(program);
        byUser.merge(program.socket().peer().uid(), 1, Integer::sum);
        ofProcess += isOf(program, newcomer) ? 1 : 0;
      }
    }
    if (ofProcess > mostOfProcess) {
      return oldest(waiting, program -> isOf(program, newcomer));
    }
    if (byUser.getOrDefault(newcomer.uid(), 0) > mostOfUser) {
      return oldest(waiting, program -> program.socket().peer().uid() == newcomer.uid());
    }
    return waiting.size() > MOST ? oldestOfMost(waiting, byUser) : null;
  }

  /** The oldest waiting program of the user with the most of them; null if none waits. */
  ProgramSession victim(Collection<ProgramSession> programs) {
    List<ProgramSession> waiting = programs.stream().filter(ProgramSession::isWaiting).toList();
    Map<Integer, Integer> byUser = new HashMap<>();
    waiting.forEach(program -> byUser.merge(program.socket().peer().uid(), 1, Integer::sum));
    return waiting.isEmpty() ? null : oldestOfMost(waiting, byUser);
  }

  private static ProgramSession oldestOfMost(
      List<ProgramSession> waiting, Map<Integer, Integer> byUser) {
    int user = byUser.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow().getKey();
    return oldest(waiting, program -> program.socket().peer().uid() == user);
  }

  private static boolean isOf(ProgramSession program, PeerCredentials process) {
    return program.process().isSameProcess(process);
  }

  private static ProgramSession oldest(
      List<ProgramSession> waiting, Predicate<ProgramSession> whose) {
    return waiting.stream().filter(whose).findFirst().orElseThrow();
  }
}
