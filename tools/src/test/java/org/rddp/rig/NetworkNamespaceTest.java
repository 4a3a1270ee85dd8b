package org.rddp.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class NetworkNamespaceTest {
  private static NetworkNamespace namespace() throws InterruptedException {
    try {
      return new NetworkNamespace("test");
    } catch (IOException e) {
      assumeTrue(false, e.getMessage());
      throw new IllegalStateException(e);
    }
  }

  /** Whether a command that the calling thread runs finds a network interface. */
  private static boolean sees(String name) throws IOException, InterruptedException {
    return new ProcessBuilder("ip", "link", "show", name)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor()
        == 0;
  }

  @Test
  void shouldRunCommandsInside() throws Exception {
    try (NetworkNamespace namespace = namespace()) {
      namespace.run("ip", "link", "add", "one", "type", "veth", "peer", "name", "two");
      assertThat(namespace.run("ip", "link")).contains("one", "two");
      assertThat(sees("one")).isFalse();
    }
  }

  @Test
  void shouldSayWhatACommandSaidThatFailed() throws Exception {
    try (NetworkNamespace namespace = namespace()) {
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> namespace.run("ip", "link", "set", "none", "up"))
          .withMessageContaining("none");
    }
  }

  @Test
  void shouldLetAThreadEnterWhichOthersDoNotFollow() throws Exception {
    try (NetworkNamespace namespace = namespace()) {
      namespace.run("ip", "link", "add", "inside", "type", "veth", "peer", "name", "other");
      try (PinnedThread<Boolean> thread =
          PinnedThread.start(
              "inside",
              Affinity.allowed()[0],
              () -> {
                NetworkNamespace.enter(namespace.file());
                return sees("inside");
              })) {
        assertThat(thread.join()).isTrue();
      }
      assertThat(sees("inside")).isFalse();
    }
  }

  @Test
  void shouldNotEnterWhatIsNotThere() {
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> NetworkNamespace.enter("/proc/none"))
        .withMessageContaining("/proc/none");
  }
}
