package org.rddp.dpdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

@RequiresDpdk
class EalTest {
  private static String processorsBefore;

  @BeforeAll
  static void initialise() throws IOException {
    processorsBefore = allowedProcessors();
    TestEal.init();
  }

  @AfterAll
  static void end() {
    Eal.cleanup();
    assertThat(Eal.initialised()).isFalse();
  }

  /** A process that is killed leaves nothing, and a full file system does not matter. */
  @Test
  void shouldHaveNoFiles() {
    assertThat(TestEal.folders()).noneMatch(Files::exists);
  }

  @Test
  void shouldLeaveTheCallingThreadOnItsProcessors() throws IOException {
    assertThat(allowedProcessors()).isEqualTo(processorsBefore);
  }

  @Test
  void shouldLeaveNewThreadsOnAllProcessors() {
    CompletableFuture<String> inThread = new CompletableFuture<>();
    Thread.ofPlatform()
        .start(() -> {
          try {
            inThread.complete(allowedProcessors());
          } catch (IOException e) {
            inThread.completeExceptionally(e);
          }
        });

    assertThat(inThread.join()).isEqualTo(processorsBefore);
  }

  @Test
  void shouldRefuseASecondInitialisation() {
    assertThatThrownBy(TestEal::init)
        .isInstanceOf(DpdkException.class)
        .hasMessageContaining("only once in a process");
    assertThat(Eal.initialised()).isTrue();
  }

  @Test
  void shouldKnowItsVersion() {
    assertThat(Eal.version()).startsWith("DPDK ");
  }

  @Test
  void shouldRegisterAThreadAgainAfterUnregistering() {
    CompletableFuture.runAsync(
            () -> {
              Eal.registerThread();
              Eal.unregisterThread();
              Eal.registerThread();
              Eal.unregisterThread();
            },
            task -> Thread.ofPlatform().start(task))
        .join();
  }

  @Test
  void shouldReadTheLayoutOfBuffers() {
    assertThat(MbufLayout.SIZE).isEqualTo(128);
    assertThat(MbufLayout.HEADROOM).isEqualTo(128);
    assertThat(MbufLayout.BUF_ADDR).isZero();
  }

  private static String allowedProcessors() throws IOException {
    return Files.readAllLines(Path.of("/proc/thread-self/status")).stream()
        .filter(line -> line.startsWith("Cpus_allowed_list:"))
        .findFirst()
        .orElseThrow();
  }
}
