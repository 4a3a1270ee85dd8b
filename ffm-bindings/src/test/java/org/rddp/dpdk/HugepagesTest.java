package org.rddp.dpdk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HugepagesTest {
  @TempDir private Path root;

  @Test
  void shouldFindNoneWhereTheKernelHasNone() {
    assertThat(Hugepages.available(root.resolve("absent"))).isZero();
  }

  @Test
  void shouldAddUpAllSizes() throws IOException {
    pages(2048, 100, 0, 0);
    pages(1048576, 2, 0, 0);

    assertThat(Hugepages.available(root)).isEqualTo((100L << 21) + (2L << 30));
  }

  @Test
  void shouldLeaveOutPagesThatAreReserved() throws IOException {
    pages(2048, 100, 60, 0);

    assertThat(Hugepages.available(root)).isEqualTo(40L << 21);
  }

  @Test
  void shouldCountPagesThatTheKernelMayMake() throws IOException {
    pages(2048, 0, 0, 8);

    assertThat(Hugepages.available(root)).isEqualTo(8L << 21);
  }

  private void pages(int kibibytes, int free, int reserved, int overcommit) throws IOException {
    Path size = Files.createDirectory(root.resolve("hugepages-" + kibibytes + "kB"));
    Files.writeString(size.resolve("free_hugepages"), free + "\n");
    Files.writeString(size.resolve("resv_hugepages"), reserved + "\n");
    Files.writeString(size.resolve("nr_overcommit_hugepages"), overcommit + "\n");
    Files.writeString(size.resolve("surplus_hugepages"), "0\n");
  }
}
