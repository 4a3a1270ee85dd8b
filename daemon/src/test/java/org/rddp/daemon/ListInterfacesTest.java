package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.DaemonInterface;
import org.rddp.client.DaemonUnavailableException;
import org.rddp.client.Rddp;
import org.rddp.client.types.AddressText;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.ipc.control.ControlMessage;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.IpAddress;
import org.rddp.ipc.control.ProgramMessage;

/** A program that learns which interfaces there are, and the addresses that it may name. */
@Timeout(60)
class ListInterfacesTest {
  private final TestDaemon daemon = new TestDaemon();

  @AfterEach
  void close() {
    daemon.close();
  }

  @Test
  void shouldNameTheInterfacesWithoutASession() {
    List<DaemonInterface> found = Rddp.interfaces(daemon.socket());
    assertThat(found).extracting(DaemonInterface::name).containsExactly("one", "two");
    DaemonInterface two = found.getLast();
    assertThat(two.address().getHostAddress()).isEqualTo(TestDaemon.ADDRESS_TWO);
    assertThat(two.prefix()).isEqualTo(24);
    assertThat(two.gateway()).isNull();
    assertThat(two.ipv6()).hasSize(2);
    assertThat(AddressText.of(two.ipv6().getFirst())).isEqualTo(TestDaemon.IPV6_TWO);
    assertThat(two.ipv6().getLast().isLinkLocalAddress()).isTrue();
    assertThat(two.mtu()).isEqualTo(1500);
    assertThat(two.mac()).isNotZero().isNotEqualTo(found.getFirst().mac());
    assertThatThrownBy(() -> Rddp.interfaces(Path.of("/nowhere/rddpd.sock")))
        .isInstanceOf(DaemonUnavailableException.class)
        .hasMessageContaining("start the daemon");
  }

  @Test
  void shouldNameThemBeforeAndBesideASession() throws IOException {
    try (RawProgram program = new RawProgram(daemon.socket())) {
      DaemonMessage before =
          program.request(
              number -> new ProgramMessage.ListInterfaces(number, ControlMessage.VERSION, 1));
      assertThat(((DaemonMessage.InterfacesListed) before).interfaces()).hasSize(1);
      program.begin("two");
      DaemonMessage beside =
          program.request(
              number -> new ProgramMessage.ListInterfaces(number, ControlMessage.VERSION, -1));
      assertThat(((DaemonMessage.InterfacesListed) beside).interfaces()).hasSize(2);
      assertThat(
              program.refusal(number ->
                  new ProgramMessage.ListInterfaces(number, ControlMessage.VERSION + 1, 0)))
          .isEqualTo(Reason.VERSION);
    }
  }

  @Test
  void shouldRefuseAddressesOfOtherFamilies() throws IOException {
    IpAddress other = new IpAddress(5, 0, 0x20010db800000000L, 1);
    IpAddress malformed = new IpAddress(IpAddress.IPV4, 0, 0x0a00000200000000L, 1);
    try (RawProgram program = new RawProgram(daemon.socket())) {
      program.begin("one");
      for (IpAddress wrong : List.of(other, malformed, IpAddress.NONE)) {
        assertThat(
                program.refusal(number ->
                    new ProgramMessage.Listen(number, wrong, 7, 1, ConnectionSettings.RDMAP)))
            .isEqualTo(Reason.INVALID);
        assertThat(
                program.refusal(number ->
                    new ProgramMessage.Connect(
                        number,
                        IpAddress.ipv4(0),
                        wrong,
                        7,
                        1000,
                        ConnectionSettings.RDMAP,
                        PrivateData.NONE)))
            .isEqualTo(Reason.INVALID);
      }
    }
  }

  /** It has had no session, of which the log could say that it ends. */
  @Test
  void shouldNotLogTheEndOfAProgramWithoutASession() {
    assertThat(Rddp.interfaces(daemon.socket())).isNotEmpty();
    daemon.close();
    assertThat(daemon.log()).doesNotContain("the session ends");
  }
}
