package org.rddp.architecture;

import org.junit.jupiter.api.Test;

class ModuleBoundariesTest extends ModuleBoundaries {
  ModuleBoundariesTest() {
    super("nio: ipc client");
  }

  @Test
  void programsNeedOnlyTheJdk() {
    needOnlyTheJdk();
  }
}
