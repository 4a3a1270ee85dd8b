package org.rddp.daemon;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.rddp.device.FrameDevice;
import org.rddp.ip.esp.EspCipher;

/** The devices of a daemon's interfaces. */
public interface Ports extends AutoCloseable {
  /** The devices, one for each engine of each interface, in the order of the configuration. */
  List<? extends FrameDevice> devices();

  /** What an operator should know of the devices, one sentence each. */
  default List<String> warnings() {
    return List.of();
  }

  /** Called by each engine's thread before it uses a device. */
  void enter();

  /** Called by each engine's thread when it no longer uses the devices. */
  void leave();

  /**
   * Lets another process have the devices that one process can have at a time. No engine may be
   * running.
   */
  default void release() {}

  /**
   * Takes the devices that one process can have at a time, when another process has let go of them.
   *
   * @param macAddresses which the interfaces have, by their names
   * @throws IOException if a device cannot be opened
   */
  default void take(Map<String, Long> macAddresses) throws IOException {}

  /**
   * Closes every device and frees their resources, except for devices that another process has now.
   * No engine may be running.
   */
  @Override
  void close();

  /** Makes the ciphers of ESP. */
  EspCipher.Factory ciphers();
}
