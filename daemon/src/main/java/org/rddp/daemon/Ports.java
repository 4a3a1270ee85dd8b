package org.rddp.daemon;

import java.util.List;
import org.rddp.device.FrameDevice;

/** The devices that a daemon's interfaces stand on. */
public interface Ports extends AutoCloseable {
  /** One for each interface, in the order of the configuration. */
  List<? extends FrameDevice> devices();

  /** Called by each engine's thread before it touches a device. */
  void enter();

  /** Called by each engine's thread when it is done with them. */
  void leave();

  /** Closes every device, and what is beneath. No engine may be running. */
  @Override
  void close();
}
