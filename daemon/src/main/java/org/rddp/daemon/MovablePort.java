package org.rddp.daemon;

import java.util.List;
import org.rddp.daemon.configuration.MachineException;
import org.rddp.dpdk.device.DpdkDevice;

/**
 * A port that another process can take, with the device of each engine of its interface. Its packet
 * buffers and its devices stay while another process has it.
 */
interface MovablePort {
  /** The port's address is the driver's choice, or that of its arguments. */
  long ANY_ADDRESS = -1;

  /** The devices, one for each engine; none before the first {@link #take}. */
  List<DpdkDevice> devices();

  /**
   * Opens the port, for the first time or again, if this process does not have it.
   *
   * @param macAddress which the interface has in another process; {@link #ANY_ADDRESS} if there is
   *     none
   * @param output what the process prints; null if it is not kept
   * @throws MachineException if that is not possible
   */
  void take(long macAddress, NativeOutput output);

  /** Lets another process have the port, if one process can have it at a time. */
  void release();
}
