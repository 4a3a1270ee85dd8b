package org.rddp.daemon.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedHugePagesTest {
  @TempDir private Path folder;

  @Test
  void shouldWarnUnlessTheKernelDeniesThem() throws IOException {
    Path setting = folder.resolve("shmem_enabled");
    assertThat(SharedHugePages.warning(setting)).as("a kernel without huge pages").isEmpty();
    Files.writeString(setting, "always within_size advise never [deny] force\n");
    assertThat(SharedHugePages.warning(setting)).isEmpty();
    // MADV_COLLAPSE does not ask whether huge pages are used by themselves.
    Files.writeString(setting, "always within_size advise [never] deny force\n");
    assertThat(SharedHugePages.warning(setting)).endsWith("echo deny > " + setting);
  }
}
