package org.rddp.daemon.replacement;

import java.util.List;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.snapshot.SnapshotReader;

/** The state of a daemon that takes the place of another. One thread calls it, in this order. */
public interface Arriving {
  /** What the other daemon has to know of its interfaces: {@link Departing#admit}. */
  String interfaces();

  /**
   * Does what takes time, while the other daemon still serves its programs: opens the devices that
   * two processes can have, compiles.
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
   * Takes the devices. The engines of the other daemon have just stopped: what devices that both
   * have open have received is dropped, since the other one has handled it. What comes from now on
   * is this daemon's.
   *
   * @param devices what the other daemon says of them
   * @throws ReplacementException if a device cannot be opened
   */
  void take(String devices) throws ReplacementException;

  /**
   * Lets go of the devices that one process can have at a time: the other daemon takes them back.
   */
  void release();

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

  /**
   * Gives up what it has taken, {@link #release} included, without a word to programs and peers.
   */
  void discard();
}
