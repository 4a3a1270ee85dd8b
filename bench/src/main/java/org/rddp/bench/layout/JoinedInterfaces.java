package org.rddp.bench.layout;

import java.net.InetSocketAddress;
import org.rddp.rig.ConfigurationText;

/** The two interfaces of a benchmark: the near one's program measures, the far one's answers. */
public final class JoinedInterfaces {
  /** Name of the near interface. */
  public static final String NEAR = "near";

  /** Name of the far interface. */
  public static final String FAR = "far";

  // Not those of the lossy link's kernel contender, whose kernel would answer in rddp's place.
  private static final String NEAR_ADDRESS = "10.77.0.1";
  private static final String FAR_ADDRESS = "10.77.0.2";

  private JoinedInterfaces() {}

  /** Address of the near interface. */
  public static String nearAddress() {
    return NEAR_ADDRESS;
  }

  /** Address of the far interface. */
  public static String farAddress() {
    return FAR_ADDRESS;
  }

  /** Where the far program listens. */
  public static InetSocketAddress farAddress(int port) {
    return new InetSocketAddress(FAR_ADDRESS, port);
  }

  /** Adds one of the interfaces, with further keys and values. */
  public static ConfigurationText add(
      ConfigurationText text, String name, String device, Object... more) {
    String address = name.equals(NEAR) ? NEAR_ADDRESS : FAR_ADDRESS;
    return text.port(name, device, address + "/24", more);
  }

  /** Adds both interfaces, joined by a pair of rings that copies; each with these keys. */
  public static ConfigurationText addRings(ConfigurationText text, Object... more) {
    return add(add(text, NEAR, "ring:bench", more), FAR, "ring:bench", more);
  }
}
