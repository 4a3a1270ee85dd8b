package org.rddp.architecture;

class ModuleBoundariesTest extends ProtocolBoundaries {
  ModuleBoundariesTest() {
    super(
        "org.rddp",
        "tcp.congestion: wire snapshot",
        "tcp.loss: wire device snapshot tcp.congestion",
        "tcp.storage: device snapshot",
        "tcp.handshake: wire group ip snapshot",
        "tcp: wire device group ip counters snapshot");
  }
}
