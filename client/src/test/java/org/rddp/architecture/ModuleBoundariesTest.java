package org.rddp.architecture;

import org.junit.jupiter.api.Test;

class ModuleBoundariesTest extends ModuleBoundaries {
  ModuleBoundariesTest() {
    super("client: ipc");
  }

  @Test
  void programsNeedOnlyTheJdk() {
    needOnlyTheJdk();
  }
}
