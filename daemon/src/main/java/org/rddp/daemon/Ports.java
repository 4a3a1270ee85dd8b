package org.rddp.daemon;

import java.util.List;
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

  /** Closes every device and frees their resources. No engine may be running. */
  @Override
  void close();

  /** Makes the ciphers of ESP. */
  EspCipher.Factory ciphers();
}
