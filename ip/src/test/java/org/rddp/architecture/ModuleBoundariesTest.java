package org.rddp.architecture;

class ModuleBoundariesTest extends ProtocolBoundaries {
  ModuleBoundariesTest() {
    super(
        "org.rddp",
        "wire:",
        "device: wire",
        "group: device",
        "ip.esp: wire",
        "ip: wire device group");
  }
}
