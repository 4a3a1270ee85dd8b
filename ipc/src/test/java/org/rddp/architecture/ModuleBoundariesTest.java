package org.rddp.architecture;

import org.junit.jupiter.api.Test;

class ModuleBoundariesTest extends ModuleBoundaries {
  ModuleBoundariesTest() {
    super(
        "ipc.linux:",
        "client.types:",
        "ipc.ring: ipc.linux client.types",
        "ipc.control: ipc.linux ipc.ring client.types");
  }

  @Test
  void programsNeedOnlyTheJdk() {
    needOnlyTheJdk();
  }
}
