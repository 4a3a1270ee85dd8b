package org.rddp.architecture;

class ModuleBoundariesTest extends ProtocolBoundaries {
  ModuleBoundariesTest() {
    super("org.rddp", "crc: wire", "mpa: wire device snapshot group ip tcp crc");
  }
}
