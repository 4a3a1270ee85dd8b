package org.rddp.daemon.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.daemon.configuration.ConfigurationFileTest.PORT;
import static org.rddp.daemon.configuration.ConfigurationFileTest.problems;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.ip.Ipv4Network;
import org.rddp.ip.Ipv6Address;
import org.rddp.ip.Ipv6Network;

/** What goes together in the tables of interfaces: packets, addresses, networks, devices. */
class InterfacesTest {
  private static final String GATEWAYS = "gateway = [\"10.0.0.254\", \"fe80::1\"]\n";

  /** With addresses of both families. */
  private static final String BOTH =
      PORT.replace("\"10.0.0.1/24\"", "[\"10.0.0.1/24\", \"2001:db8::1/64\"]");

  private static final String CARD = PORT.replace("net_ring0", "pci:0000:03:00.0");

  /** Sent packets stay in a card's ring, so with fewer nothing would be left to receive with. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          packets = 3071              | 3071 are too few for an engine, whose queues of the card keep 2048 of them; allowed: at least 3072 for each engine, or fewer 'descriptors'
          packets = 6143;engines = 2  | 6143 are too few for 2 engines
          """)
  void shouldRejectPacketsThatTheRingsOfACardKeep(String lines, String expected) {
    String text = CARD + lines.replace(';', '\n') + "\n";
    assertThat(problems(text)).singleElement().asString().contains(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          packets = 3072                       | 3072
          packets = 1536;descriptors = 256     | 1536
          engines = 5                          | 16384
          engines = 8                          | 24576
          """)
  void shouldHavePacketsBesidesThoseThatTheRingsOfACardKeep(String lines, int packets)
      throws Exception {
    String text = CARD + lines.replace(';', '\n') + "\n";
    assertThat(ConfigurationFile.parse("f", text).interfaces().getFirst().packets())
        .isEqualTo(packets);
  }

  @Test
  void shouldReadAddressesOfBothFamilies() throws Exception {
    String text = BOTH + GATEWAYS;
    InterfaceConfiguration port = ConfigurationFile.parse("f", text).interfaces().getFirst();
    assertThat(port.addressText()).isEqualTo("10.0.0.1/24 and 2001:db8::1/64");
    InterfaceAddress address = port.interfaceAddress();
    Ipv4Network ipv4 = address.ipv4().orElseThrow();
    assertThat(ipv4.address()).isEqualTo(Ipv4Address.parse("10.0.0.1"));
    assertThat(ipv4.gateway()).contains(Ipv4Address.parse("10.0.0.254"));
    Ipv6Network ipv6 = address.ipv6().orElseThrow();
    assertThat(ipv6.address()).isEqualTo(Ipv6Address.parse("2001:db8::1"));
    assertThat(ipv6.prefixLength()).isEqualTo(64);
    assertThat(ipv6.gateway()).contains(Ipv6Address.parse("fe80::1"));
    Ipv6Network again =
        ConfigurationFile.parse("f", text).interfaces().getFirst().ipv6().orElseThrow();
    assertThat(again.linkLocal(1)).as("the same each time").isEqualTo(ipv6.linkLocal(1));
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"2001:db8::1/64\"", "[\"2001:db8::1/64\"]"})
  void shouldReadAnAddressOfIpv6Alone(String address) throws Exception {
    String text = PORT.replaceFirst("(?m)^address = .*", "address = " + address);
    InterfaceConfiguration port =
        ConfigurationFile.parse("f", text + "gateway = \"fe80::1\"\n").interfaces().getFirst();
    assertThat(port.addressText()).isEqualTo("2001:db8::1/64");
    assertThat(port.ipv4()).isEmpty();
    assertThat(port.interfaceAddress().ipv4()).isEmpty();
    assertThat(port.ipv6().orElseThrow().gateway()).contains(Ipv6Address.parse("fe80::1"));

    assertThat(problems(text + "gateway = \"10.0.0.254\"\n").getFirst().message())
        .contains("is of IPv4, and the interface has none");
    assertThat(problems(text + "mtu = 1279\n").getFirst().message()).contains("at least 1280");
  }

  @Test
  void shouldTakeTheGatewayFromTheLinkOrTheConfiguration() throws Exception {
    String text = BOTH + "router-advertisements = true\n";
    InterfaceConfiguration port = ConfigurationFile.parse("f", text).interfaces().getFirst();
    assertThat(port.ipv6().orElseThrow().advertised()).isTrue();

    assertThat(problems(text + GATEWAYS).toString())
        .contains("router-advertisements", "contradicts the gateway fe80::1");
  }

  @Test
  void shouldRejectWhatDoesNotGoWithIpv6() {
    String text = BOTH;
    assertThat(problems(text + "gateway = \"2001:db8:1::1\"\n").getFirst().message())
        .contains("neither link-local nor in this interface's network");
    assertThat(problems(text + "gateway = \"2001:db8::1\"\n").getFirst().message())
        .contains("own address");
    assertThat(problems(text + "mtu = 1279\n").getFirst().message()).contains("at least 1280");
  }

  @Test
  void shouldRejectDuplicateNamesAndAddresses() {
    assertThat(problems(PORT + PORT.replace("net_ring0", "net_ring1")))
        .extracting(ConfigurationProblem::message)
        .satisfiesExactly(
            name -> assertThat(name).contains("that of interface[1] too"),
            address -> assertThat(address).contains("that of interface[1] too"));
  }

  @Test
  void shouldRejectDevicesThatCannotCarryTheMtu() {
    String port = PORT + "mtu = 9000\n";
    assertThat(problems(port.replace("net_ring0", "net_tap0,iface=t")))
        .singleElement()
        .asString()
        .isEqualTo(
            "f.toml:5:1: interface[1].mtu: 9000 is more than net_tap0 can send; allowed: a whole"
                + " number from 576 to 1500");
    assertThat(problems(port.replace("net_ring0", "net_memif0,role=server,id=0")))
        .singleElement()
        .asString()
        .isEqualTo(
            "f.toml:3:1: interface[1].device: net_memif0 carries frames of at most 2048 octets"
                + " without bsize, and this MTU needs 9014; allowed: bsize=9216 or more, the same"
                + " at both ends");
    assertThat(problems(port.replace("net_ring0", "net_af_packet0,iface=eth0")))
        .singleElement()
        .asString()
        .contains("\"linux:eth0\", which chooses the sizes, or framesz=9216,blocksz=36864");
  }

  @Test
  void shouldRejectLongestFramesThatAreNone() {
    assertThat(problems(PORT.replace("net_ring0", "net_tap0") + "longest-frame = 16384\n"))
        .singleElement()
        .asString()
        .isEqualTo(
            "f.toml:5:1: interface[1].longest-frame: is for rings, cards, linux:, net_vhost"
                + " and net_virtio_user only; allowed: no 'longest-frame' here");
    String ring = PORT.replace("net_ring0", "ring:x");
    String other = ring.replace("port0", "port1").replace("10.0.0.1", "10.0.0.2");
    assertThat(problems(ring + "mtu = 9000\nlongest-frame = 8999\n" + other))
        .singleElement()
        .asString()
        .isEqualTo(
            "f.toml:6:1: interface[1].longest-frame: 8999 is less than the mtu, 9000; allowed: a"
                + " whole number from 9000 (no longer frames) to 65000");
    assertThat(problems(ring + "longest-frame = 65001\n" + other))
        .singleElement()
        .asString()
        .contains("interface[1].longest-frame", "65000");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          mtu = 3495           | mtu: 3495 is more than AF_XDP carries in a frame; allowed: a whole number from 576 to 3494, or "linux:eth0"
          vlan = 7             | vlan: is not for xdp:
          longest-frame = 9000 | longest-frame: is for rings, cards, linux:, net_vhost and net_virtio_user only
          """)
  void shouldRejectWhatXdpCannotCarry(String line, String expected) {
    String port = PORT.replace("net_ring0", "xdp:eth0");
    assertThat(problems(port + line + "\n")).singleElement().asString().contains(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"net_vhost0,iface=/a", "net_virtio_user0,path=/a", "0000:03:00.0"})
  void shouldTakeLongestFramesOfDevicesThatMayCut(String device) throws Exception {
    String port = PORT.replace("net_ring0", device);
    assertThat(longestFrame(port + "longest-frame = 16384\n")).isEqualTo(16_384);
    assertThat(longestFrame(port)).isEqualTo(1500);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ''                                     | 65000 | true
          mtu = 9000                             | 65000 | true
          longest-frame = 16384                  | 16384 | true
          longest-frame = 1500                   | 1500  | false
          vlan = 7                               | 1500  | false
          """)
  void shouldCarryLongFramesOverLinuxInterfaces(String line, int longest, boolean packetSockets)
      throws Exception {
    InterfaceConfiguration read =
        ConfigurationFile.parse("f.toml", PORT.replace("net_ring0", "linux:eth0") + line)
            .interfaces()
            .getFirst();
    assertThat(read.longestFrame()).isEqualTo(longest);
    assertThat(read.usesPacketSockets()).isEqualTo(packetSockets);
    if (packetSockets) {
      // The longest frame of Linux's TCP: 45 segments of 1448 octets, or as much of others.
      assertThat(FrameLengths.longRoom(read)).isGreaterThanOrEqualTo(14 + 60 + 60 + 65215);
    }
  }

  @Test
  void shouldRejectLongFramesWithATagOnLinuxInterfaces() {
    String port = PORT.replace("net_ring0", "linux:eth0");
    assertThat(problems(port + "vlan = 7\nlongest-frame = 16384\n"))
        .singleElement()
        .asString()
        .isEqualTo(
            "f.toml:6:1: interface[1].longest-frame: is not for frames with a VLAN tag on linux:;"
                + " allowed: no 'longest-frame', or no 'vlan' and the Linux interface of that VLAN"
                + " (\"linux:eth0.7\")");
  }

  @Test
  @DisplayName("each engine has its own long packets: half of them hold a burst of long frames")
  void shouldGiveEachEngineLongPackets() throws Exception {
    String port =
        PORT.replace("net_ring0", "net_vhost0,iface=/a,queues=4") + "longest-frame = 16384\n";
    String several = port + "engines = 4\npackets = 16384\n";
    InterfaceConfiguration four =
        ConfigurationFile.parse("f.toml", several).interfaces().getFirst();
    assertThat(FrameLengths.longPacketsOfEngine(four)).isEqualTo(256);
    assertThat(FrameLengths.longPackets(four)).isEqualTo(1024);
    InterfaceConfiguration none = ConfigurationFile.parse("f.toml", PORT).interfaces().getFirst();
    assertThat(FrameLengths.longPackets(none)).isZero();
  }

  private static int longestFrame(String text) throws Exception {
    return ConfigurationFile.parse("f.toml", text).interfaces().getFirst().longestFrame();
  }

  @Test
  void shouldRejectADeviceThatAnotherInterfaceHas() {
    String other = PORT.replace("port0", "port1").replace("10.0.0.1", "10.0.0.2");
    for (List<String> same :
        List.of(
            List.of("linux:eth0", "net_af_packet3,iface=eth0", "the Linux interface eth0"),
            List.of("pci:0000:03:00.0", "03:00.0", "the card 0000:03:00.0"),
            List.of("net_vhost0,iface=/a", "net_vhost0,iface=/b", "the name net_vhost0"),
            List.of("net_vhost0,iface=/a", "net_vhost1,iface=/a", "iface=/a of net_vhost"))) {
      assertThat(
              problems(
                  PORT.replace("net_ring0", same.get(0)) + other.replace("net_ring0", same.get(1))))
          .singleElement()
          .asString()
          .startsWith(
              "f.toml:7:1: interface[2].device: " + same.get(2) + " is that of interface[1]");
    }
  }

  @Test
  void shouldRejectNetworksThatOverlap() {
    String other = PORT.replace("port0", "port1").replace("net_ring0", "net_ring1");
    assertThat(problems(PORT + other.replace("10.0.0.1/24", "10.0.7.1/16")))
        .singleElement()
        .asString()
        .contains("interface[2].address: the network 10.0.0.0/16 overlaps 10.0.0.0/24");
  }

  @Test
  void shouldRejectIpv6NetworksThatOverlap() throws Exception {
    String first = BOTH;
    String other =
        first
            .replace("port0", "port1")
            .replace("net_ring0", "net_ring1")
            .replace("10.0.0.1/24", "10.0.0.2/24")
            .replace("2001:db8::1/64", "2001:db8::2/48");
    assertThat(problems(first + other))
        .singleElement()
        .asString()
        .contains("interface[2].address: its IPv6 network overlaps that of interface[1]");
    String same = first + other.replace("/48", "/64");
    assertThat(ConfigurationFile.parse("f", same).interfaces()).hasSize(2);
  }
}
