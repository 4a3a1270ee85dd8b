package org.rddp.architecture;

class ModuleBoundariesTest extends ProtocolBoundaries {
  ModuleBoundariesTest() {
    super(
        "org.rddp",
        "ddp: wire snapshot device group ip tcp crc mpa counters",
        "rdmap: wire snapshot device group ip tcp crc mpa ddp");
  }
}
