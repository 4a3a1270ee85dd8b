package org.rddp.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Rddp;
import org.rddp.daemon.TestDaemon;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** Which interface a command's session uses; the daemon's interfaces have two engines each. */
@Timeout(60)
class SessionOptionsTest {
  private final TestDaemon daemon = TestDaemon.withEngines(2);

  @AfterEach
  void close() {
    daemon.close();
  }

  @Command
  private static final class Probe {
    @Mixin private SessionOptions session;

    @Parameters private RemoteAddress remote;
  }

  private String interfaceOf(String... arguments) {
    List<String> line = new ArrayList<>(List.of(arguments));
    line.addAll(List.of("--socket", daemon.socket().toString()));
    Probe probe = new Probe();
    new CommandLine(probe)
        .registerConverter(RemoteAddress.class, new RemoteAddress.Converter())
        .parseArgs(line.toArray(String[]::new));
    try (Rddp session = probe.session.open("probe", probe.remote)) {
      return session.interfaceName();
    }
  }

  @Test
  void shouldTakeTheZoneForTheInterface() {
    assertThat(interfaceOf("[fe80::1%two]:7")).isEqualTo("two");
    assertThat(interfaceOf("[fe80::1%two]:7", "--interface", "two")).isEqualTo("two");
    assertThat(interfaceOf("[fe80::1%two]:7", "--interface", "two/1")).isEqualTo("two");
  }

  @Test
  void shouldTakeTheOptionOrTheFirstInterfaceWithoutAZone() {
    assertThat(interfaceOf("[fe80::1]:7")).isEqualTo("one");
    assertThat(interfaceOf("[fe80::1]:7", "--interface", "two")).isEqualTo("two");
  }

  @Test
  void shouldRefuseAnInterfaceThatIsNotTheZone() {
    for (String other : List.of("one", "one/1", "tw")) {
      assertThatThrownBy(() -> interfaceOf("[fe80::1%two]:7", "--interface", other))
          .isInstanceOf(ParameterException.class)
          .hasMessage("--interface " + other + " is not the zone of [fe80::1%two]:7");
    }
  }
}
