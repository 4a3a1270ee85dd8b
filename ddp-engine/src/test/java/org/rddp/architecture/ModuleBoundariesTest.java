package org.rddp.architecture;

class ModuleBoundariesTest extends ProtocolBoundaries {
  ModuleBoundariesTest() {
    super(
        "org.rddp",
        "ddp: wire device group ip tcp crc mpa counters",
        "rdmap: wire device group ip tcp crc mpa ddp");
  }
}
