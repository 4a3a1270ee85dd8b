package org.rddp.architecture;

class ModuleBoundariesTest extends ProtocolBoundaries {
  ModuleBoundariesTest() {
    super("org.rddp", "crc: wire", "mpa: wire device group ip tcp crc");
  }
}
