package org.rddp.architecture;

class ModuleBoundariesTest extends ProtocolBoundaries {
  ModuleBoundariesTest() {
    super(
        "org.rddp",
        "wire:",
        "snapshot: wire",
        "device: wire",
        "group: device snapshot",
        "ip.esp: wire snapshot",
        "counters:",
        "ip: wire device group counters snapshot");
  }
}
