package org.rddp.dpdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ports of devices that need no rights: null, and pcap, whose bursts may block. */
@RequiresDpdk
class EthernetPortTest {
  private static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
  private static final int BUFFERS = 2047;
  private static final int BURST = 32;

  private final Arena arena = Arena.ofConfined();
  private final long array = arena.allocate(ValueLayout.JAVA_LONG, BURST).address();
  private Mempool pool;

  @BeforeAll
  static void initialise() {
    TestEal.init();
  }

  @AfterAll
  static void end() {
    Eal.cleanup();
  }

  @BeforeEach
  void open() {
    pool = Mempool.create("pool", BUFFERS, 0, MbufLayout.HEADROOM + 2048, -1);
  }

  @AfterEach
  void close() {
    assertThat(EthernetPort.all()).isEmpty();
    assertThat(pool.available()).isEqualTo(BUFFERS);
    pool.close();
    arena.close();
  }

  @Test
  void shouldComeAndGoWithItsDevice() {
    try (EthernetPort port = EthernetPort.attach("net_null0,size=64")) {
      assertThat(port.info().name()).isEqualTo("net_null0");
      assertThat(port.info().driver()).isEqualTo("net_null");
      assertThat(EthernetPort.open("net_null0").info()).isEqualTo(port.info());
    }
    assertThatThrownBy(() -> EthernetPort.open("net_null0"))
        .isInstanceOf(DpdkException.class)
        .hasMessageContaining("It has none");
  }

  @Test
  void shouldReceiveAndSend() {
    try (EthernetPort port = EthernetPort.attach("net_null0,size=64")) {
      port.configure(PortSettings.DEFAULTS, pool);
      port.start();

      assertThat(port.receive(0, array, BURST)).isEqualTo(BURST);
      assertThat(port.transmit(0, array, BURST)).isEqualTo(BURST);

      assertThat(port.statistics().framesIn()).isEqualTo(BURST);
      assertThat(port.statistics().framesOut()).isEqualTo(BURST);
    }
  }

  @Test
  void shouldStartAgainAfterItWasStopped() {
    try (EthernetPort port = EthernetPort.attach("net_null0")) {
      port.configure(PortSettings.DEFAULTS.withSlots(128, 128), pool);
      port.start();
      port.stop();
      port.configure(PortSettings.DEFAULTS.withQueues(1).withMtu(1400), pool);
      port.start();

      assertThat(port.up()).isTrue();
    }
  }

  @Test
  void shouldCarryFramesThroughADeviceThatMayBlock(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("frames.pcap");
    try (EthernetPort port = EthernetPort.attach("net_pcap0,tx_pcap=" + file)) {
      assertThat(port.mayBlock()).isTrue();
      assertThat(port.info().macAddress()).isEqualTo(0x02_70_63_61_70_00L);
      port.configure(PortSettings.DEFAULTS, pool);
      port.start();
      MEMORY.set(ValueLayout.JAVA_LONG, array, frame(60));
      assertThat(port.transmit(0, array, 1)).isEqualTo(1);
    }
    assertThat(Files.size(file)).isEqualTo(24 + 16 + 60);

    try (EthernetPort port = EthernetPort.attach("net_pcap1,rx_pcap=" + file)) {
      assertThat(port.info().macAddress()).isEqualTo(0x02_70_63_61_70_01L);
      port.configure(PortSettings.DEFAULTS, pool);
      port.start();
      assertThat(port.receive(0, array, BURST)).isEqualTo(1);
      long mbuf = MEMORY.get(ValueLayout.JAVA_LONG, array);
      assertThat(MEMORY.get(ValueLayout.JAVA_INT, mbuf + MbufLayout.PKT_LEN)).isEqualTo(60);
      Mempool.free(mbuf);
    }
  }

  @Test
  void shouldRefuseADriverThatDoesNotExist() {
    assertThatThrownBy(() -> EthernetPort.attach("net_no_such_driver0"))
        .isInstanceOf(DpdkException.class)
        .hasMessageContaining("open the device net_no_such_driver0")
        .hasMessageContaining("Check the driver's name");
  }

  @Test
  void shouldReportADeviceThatFailsAndLetItBeTriedAgain(@TempDir Path folder) {
    String device = "net_virtio_user0,path=" + folder.resolve("absent.sock");

    for (int attempt = 0; attempt < 2; attempt++) {
      assertThatThrownBy(() -> EthernetPort.attach(device))
          .isInstanceOf(DpdkException.class)
          .hasMessageContaining(device)
          .hasMessageContaining("errno");
    }
  }

  @Test
  void shouldRefuseAnOffloadThatThePortHasNot() {
    try (EthernetPort port = EthernetPort.attach("net_null0")) {
      PortSettings settings =
          PortSettings.DEFAULTS.withOffloads(Set.of("SCATTER"), Set.of("MULTI_SEGS"));

      assertThatThrownBy(() -> port.configure(settings, pool))
          .isInstanceOf(DpdkException.class)
          .hasMessageContaining("no receive offload SCATTER");
    }
  }

  @Test
  void shouldSayWhatItHasWhenQueuesAreTooMany() {
    try (EthernetPort port = EthernetPort.attach("net_null0")) {
      PortSettings settings = PortSettings.DEFAULTS.withQueues(1 + port.info().maxReceiveQueues());

      assertThatThrownBy(() -> port.configure(settings, pool))
          .isInstanceOf(DpdkException.class)
          .hasMessageContaining("configure the port net_null0")
          .hasMessageContaining("maxReceiveQueues=");
    }
  }

  @Test
  void shouldRefuseToStartUnconfigured() {
    try (EthernetPort port = EthernetPort.attach("net_null0")) {
      assertThatThrownBy(port::start)
          .isInstanceOf(DpdkException.class)
          .hasMessageContaining("must be configured");
    }
  }

  private long frame(int octets) {
    long mbuf = pool.allocate();
    MEMORY.set(ValueLayout.JAVA_SHORT, mbuf + MbufLayout.DATA_LEN, (short) octets);
    MEMORY.set(ValueLayout.JAVA_INT, mbuf + MbufLayout.PKT_LEN, octets);
    return mbuf;
  }
}
