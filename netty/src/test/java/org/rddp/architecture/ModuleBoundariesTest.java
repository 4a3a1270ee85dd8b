package org.rddp.architecture;

class ModuleBoundariesTest extends ModuleBoundaries {
  ModuleBoundariesTest() {
    super("netty: nio");
  }
}
