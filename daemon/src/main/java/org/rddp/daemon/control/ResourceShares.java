package org.rddp.daemon.control;

import java.util.HashMap;
import java.util.Map;
import org.rddp.daemon.configuration.Limits;
import org.rddp.daemon.engine.HeapShare;
import org.rddp.ipc.linux.PeerCredentials;

/**
 * The shares of users and processes with connected programs in the daemon's resources. Control
 * thread only.
 */
final class ResourceShares {
  private record ProcessKey(int user, int process) {}

  private static final class Counted {
    final Resources resources;
    int programs;

    Counted(Resources resources) {
      this.resources = resources;
    }
  }

  private Limits limits;
  private final Resources whole;
  private final Map<Integer, Counted> users = new HashMap<>();
  private final Map<ProcessKey, Counted> processes = new HashMap<>();

  ResourceShares(Limits limits, HeapShare heap) {
    this.limits = limits;
    this.whole = Resources.whole(limits, heap);
  }

  /** The resources of the daemon as a whole. */
  Resources whole() {
    return whole;
  }

  /** Changes the limits, also for connected programs. */
  void limit(Limits newLimits) {
    limits = newLimits;
    whole.limit(limits, 100);
    users.values().forEach(each -> each.resources.limit(limits, limits.userShare()));
    processes.values().forEach(each -> each.resources.limit(limits, limits.processShare()));
  }

  /** Joins the share of a program's process; call {@link #leave} when the program is gone. */
  Resources join(PeerCredentials peer) {
    Counted user =
        users.computeIfAbsent(
            // DDP-8.3.2-05, RDMAP-8.1.2-06
            peer.uid(), id -> new Counted(whole.share("user " + id, limits, limits.userShare())));
    Counted process =
        processes.computeIfAbsent(
            new ProcessKey(peer.uid(), peer.pid()),
            id ->
                new Counted(
                    user.resources.share("process " + id.process, limits, limits.processShare())));
    user.programs++;
    process.programs++;
    return process.resources;
  }

  /** Removes a program of the process, which has given back all that it took. */
  void leave(PeerCredentials peer) {
    leave(users, peer.uid());
    leave(processes, new ProcessKey(peer.uid(), peer.pid()));
  }

  private static <K> void leave(Map<K, Counted> all, K key) {
    Counted counted = all.get(key);
    counted.programs--;
    if (counted.programs == 0) {
      all.remove(key);
    }
  }
}
