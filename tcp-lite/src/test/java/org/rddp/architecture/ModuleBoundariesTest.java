package org.rddp.architecture;

class ModuleBoundariesTest extends ProtocolBoundaries {
  ModuleBoundariesTest() {
    super(
        "org.rddp",
        "tcp.congestion: wire",
        "tcp.loss: wire device tcp.congestion",
        "tcp.storage: device",
        "tcp.handshake: wire group ip",
        "tcp: wire device group ip counters");
  }
}
