package org.rddp.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rddp.simulation.WireSettings;
import org.rddp.tcp.TcpSettings;

/** Where segments begin and end, by sender, and how FPDUs that they cut are received. */
class AlignmentTest {
  private static final int EMSS = 1460;
  private static final int OVERHEAD = 6;
  private static final WireSettings WIRE =
      WireSettings.PERFECT.withBandwidth(1_000_000_000L).withDelay(100_000);

  private TwoHosts hosts;
  private UlpduSource source;
  private UlpduSink sink;
  private ReceiveMeter meter;
  private long sent;

  private void open(int mtu, TcpSettings settings, WireSettings wire, Segmentation sending) {
    hosts = new TwoHosts(3, mtu, 4096, settings, wire);
    hosts.open(1, sending, false);
    source = hosts.source();
    sink = hosts.sink();
    meter = hosts.meter();
  }

  private void send(int count, int fpdu) {
    sent += count;
    source.send(count, fpdu - OVERHEAD);
    hosts.scheduleTurn();
    hosts.run(source::idle);
    source.push();
    hosts.scheduleTurn();
    hosts.run(() -> sink.ulpdus() == sent);
    hosts.run(TwoHosts.SECOND);
  }

  private long cutSegments() {
    return meter.segments() - meter.passedWhole();
  }

  @Test
  @Tag("MPA-3-16")
  void shouldAlignFpdusOfAnySizeWhereAStockTcpAlignsOnlyThoseOfEmss() {
    open(1500, TwoHosts.TCP, WIRE, Segmentation.STOCK);
    send(200, EMSS);
    assertThat(cutSegments()).as("stock TCP, full FPDUs").isZero();
    send(200, 1000);
    assertThat(cutSegments()).as("stock TCP, smaller FPDUs").isGreaterThan(100);
    hosts.close();
    sent = 0;
    open(1500, TwoHosts.TCP, WIRE, Segmentation.ALIGNED);
    for (int fpdu = 24; fpdu <= EMSS; fpdu += 4 * 37) {
      send(20, fpdu);
    }
    assertThat(meter.segments()).isEqualTo(sent);
    assertThat(cutSegments()).as("ours").isZero();
    hosts.close();
  }

  @Test
  @Tag("MPAB-2-05")
  void shouldPutTogetherFromTwoSegmentsWhatAStockTcpShiftsByHalfASegment() {
    open(1500, TwoHosts.TCP, WIRE, Segmentation.STOCK);
    source.send(1, EMSS / 2 - OVERHEAD);
    sent++;
    send(100, EMSS);
    assertThat(sink.reassembled()).isEqualTo(100);
    assertThat(meter.segments()).isEqualTo(101);
    hosts.close();
  }

  @Test
  @Tag("MPA-5.1-08")
  void shouldBeAlignedAgainAfterAPause() {
    open(1500, TwoHosts.TCP, WIRE, Segmentation.STOCK);
    send(100, 1000);
    long cut = cutSegments();
    assertThat(cut).isPositive();
    send(100, EMSS);
    assertThat(cutSegments()).isEqualTo(cut);
    hosts.close();
  }

  @Test
  @Tag("MPA-5.1-07")
  @Tag("MPAB-2.1-08")
  void shouldTakeFpdusThatASmallWindowCuts() {
    open(
        1500,
        TwoHosts.TCP.withReceiveBuffer(2048).withWindowScale(false),
        WIRE,
        Segmentation.STOCK);
    send(100, 1000);
    assertThat(cutSegments()).isPositive();
    assertThat(meter.passedWhole()).isLessThan(meter.segments());
    hosts.close();
  }

  @Test
  @Tag("MPA-5.1-07")
  @Tag("MPAB-2.1-08")
  void shouldTakeFpdusThatASmallerPathCuts() {
    open(1500, TwoHosts.TCP, WIRE, Segmentation.ALIGNED);
    send(50, EMSS);
    assertThat(cutSegments()).isZero();
    source.send(8, EMSS - OVERHEAD);
    sent += 8;
    assertThat(source.idle()).isTrue();
    hosts.narrow(1000);
    hosts.scheduleTurn();
    hosts.run(() -> sink.ulpdus() == sent);
    assertThat(cutSegments()).isPositive();
    assertThat(sink.reassembled()).isPositive();
    hosts.run(TwoHosts.SECOND);
    long cut = cutSegments();
    send(50, 960);
    assertThat(cutSegments()).as("FPDUs that fit again").isEqualTo(cut);
    hosts.close();
  }

  @Test
  @Tag("MPAB-1-03")
  void shouldCarryFpdusLargerThanASegment() {
    open(120, TwoHosts.TCP, WIRE, Segmentation.ALIGNED);
    assertThat(source.mulpdu()).isEqualTo(128);
    send(100, 134);
    assertThat(sink.reassembled()).isEqualTo(100);
    hosts.close();
  }

  @Test
  @Tag("MPAB-2.2-06")
  void shouldRecoverWhenThePeerHasAPartOfASegment() {
    open(1500, TwoHosts.TCP, WIRE.withLoss(0.05), Segmentation.ALIGNED);
    hosts.reSegment(0.5);
    send(1000, EMSS);
    assertThat(hosts.duplicates()).as("segments of which the peer had a part").isPositive();
    hosts.close();
  }

  @Test
  @Tag("ANA-6-08")
  void shouldSendRequestAndResponseOneFpduPerSegmentAlsoWherePackingIsOn() {
    open(1500, TwoHosts.TCP, WIRE, Segmentation.PACKED);
    for (int i = 0; i < 50; i++) {
      send(1, 24);
    }
    assertThat(meter.mostInOne()).isEqualTo(1);
    hosts.close();
  }
}
