package org.rddp.architecture;

class ModuleBoundariesTest extends ModuleBoundaries {
  ModuleBoundariesTest() {
    super("dpdk: wire device ip");
  }
}
