package org.rddp.dpdk;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The messages for a missing or wrong shim. Needs no DPDK. */
class NativeLibraryTest {
  private final String configured = System.getProperty(NativeLibrary.PROPERTY);

  @TempDir private Path folder;

  @AfterEach
  void restore() {
    System.setProperty(NativeLibrary.PROPERTY, configured);
  }

  @Test
  void shouldSayThatThePropertyIsMissing() {
    System.clearProperty(NativeLibrary.PROPERTY);

    assertThatThrownBy(() -> Eal.init(List.of("--no-huge")))
        .isInstanceOf(DpdkException.class)
        .hasMessageContaining("rddp.native is not set")
        .hasMessageContaining("librddp_dpdk.so");
  }

  @Test
  void shouldSayThatTheFileIsMissing() {
    Path absent = folder.resolve("librddp_dpdk.so");
    System.setProperty(NativeLibrary.PROPERTY, absent.toString());

    assertThatThrownBy(NativeLibrary::load)
        .isInstanceOf(DpdkException.class)
        .hasMessageContaining("There is no file " + absent)
        .hasMessageContaining("libdpdk-dev");
  }

  @Test
  void shouldSayThatTheFileIsNoLibrary() throws IOException {
    Path text = Files.writeString(folder.resolve("librddp_dpdk.so"), "not a library");
    System.setProperty(NativeLibrary.PROPERTY, text.toString());

    assertThatThrownBy(NativeLibrary::load)
        .isInstanceOf(DpdkException.class)
        .hasMessageContaining("Cannot load " + text)
        .hasCauseInstanceOf(UnsatisfiedLinkError.class);
  }

  @Test
  void shouldRefuseToWorkBeforeInitialisation() {
    assertThatThrownBy(() -> Mempool.create("pool", 63, 0, 2048, -1))
        .isInstanceOf(DpdkException.class)
        .hasMessageContaining("call Eal.init first");
  }
}
