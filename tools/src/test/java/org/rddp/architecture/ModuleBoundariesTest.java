package org.rddp.architecture;

class ModuleBoundariesTest extends ModuleBoundaries {
  ModuleBoundariesTest() {
    super(
        "rig: device dpdk ip ipc client daemon",
        "mirror: ipc client",
        "capture: wire tcp mpa ddp ipc client",
        "perf: client rig",
        "transfer: client perf rig",
        "demo: ip client daemon capture rig");
  }
}
