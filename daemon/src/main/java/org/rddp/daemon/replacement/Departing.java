package org.rddp.daemon.replacement;

import java.util.List;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.snapshot.SnapshotWriter;

/**
 * The state of a daemon that another one takes the place of. One thread calls it, in this order.
 */
public interface Departing {
  /**
   * Fails if another daemon cannot have the place, before anybody has prepared anything. The
   * engines run.
   *
   * @param successor number of the other daemon's process
   * @param interfaces what it says of its interfaces
   * @throws ReplacementException with the reason
   */
  void admit(int successor, String interfaces) throws ReplacementException;

  /** Runs code that is not compiled yet, while the other daemon prepares. The engines run. */
  void rehearse();

  /**
   * Returns descriptors of memory that is worth mapping before the engines stop, since that takes
   * long. They run.
   *
   * @param most how many at the most
   * @return duplicates, which the caller closes
   * @throws ReplacementException if that is not possible now
   */
  List<Descriptor> memories(int most) throws ReplacementException;

  /**
   * Stops all engines at the end of a turn, and lets go of the devices that one process can have at
   * a time.
   *
   * @return what the other daemon has to know of the devices
   * @throws ReplacementException if that is not possible now; then all engines run
   */
  String stop() throws ReplacementException;

  /**
   * Writes the state of the engines, which stand still.
   *
   * @return the descriptors of the state, in an order that the snapshot knows; the caller sends
   *     duplicates and closes none
   * @throws ReplacementException if the state cannot be handed over; {@link #resume} follows
   */
  List<Descriptor> write(SnapshotWriter snapshot) throws ReplacementException;

  /**
   * Takes the devices back, and lets the engines go on as if nothing had happened: nobody uses the
   * snapshot.
   */
  void resume();

  /**
   * Gives everything up without a word to programs and peers, since the other daemon has it now.
   * The engines have stopped and make no turn any more.
   */
  void leave();
}
