package org.rddp.architecture;

class ModuleBoundariesTest extends ProtocolBoundaries {
  ModuleBoundariesTest() {
    super(
        "org.rddp",
        "wire:",
        "device: wire",
        "group: device",
        "ip.esp: wire",
        "counters:",
        "ip: wire device group counters");
  }
}
