package org.rddp.architecture;

class ModuleBoundariesTest extends ModuleBoundaries {
  ModuleBoundariesTest() {
    super(
        "daemon: wire snapshot counters device group ip tcp crc mpa ddp rdmap dpdk ipc client.types");
  }
}
