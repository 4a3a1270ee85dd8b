package org.rddp.daemon.replacement;

import java.util.List;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.snapshot.SnapshotReader;

/** The state of a daemon that takes the place of another. One thread calls it, in this order. */
public interface Arriving {
  /**
   * Does what takes time, while the other daemon still serves its programs: opens devices,
   * compiles.
   *
   * @throws ReplacementException if this daemon cannot run
   */
  void prepare() throws ReplacementException;

  /**
   * Maps memory of programs, while the other daemon still serves them.
   *
   * @param memories of {@link Departing#memories}, which belong to this object from now on
   */
  void map(List<Descriptor> memories);

  /**
   * Drops what the devices have received: the engines of the other daemon have handled it. They
   * have just stopped, and what comes from now on is this daemon's.
   */
  void drain();

  /**
   * Reads the state. No engine may have a turn, and nothing may be sent, before {@link #begin}.
   *
   * @param descriptors of the state, which belong to this object from now on, even if this throws
   * @throws ReplacementException if the state does not fit this daemon
   */
  void adopt(SnapshotReader snapshot, List<Descriptor> descriptors) throws ReplacementException;

  /** Begins to serve: the other daemon never goes on. */
  void begin();

  /**
   * Takes what only one process can have and the other daemon has let go of by now, or will never
   * let go of, such as the ports of metrics.
   */
  void settle();

  /** Gives up what it has taken, without a word to programs and peers. */
  void discard();
}
