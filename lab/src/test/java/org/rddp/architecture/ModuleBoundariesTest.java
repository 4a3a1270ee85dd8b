package org.rddp.architecture;

class ModuleBoundariesTest extends ProtocolBoundaries {
  ModuleBoundariesTest() {
    super(
        "org.rddp.simulation",
        "simulation: wire device snapshot group ip tcp crc mpa ddp rdmap ipc client.types daemon",
        "analysis: wire device group ip tcp mpa simulation");
  }
}
