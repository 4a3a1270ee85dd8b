package org.rddp.ddp;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.ddp.receiving.QueueSettings;
import org.rddp.mpa.MpaSettings;
import org.rddp.tcp.testing.InMemoryTcpPair;

/** A DDP Stream whose peer is the test. */
public final class DdpFixture {
  /** EMSS that makes MULPDU 1442, as on Ethernet with timestamps. */
  static final int EMSS = 1448;

  final DdpEngine engine = new DdpEngine(new TaggedBuffers(64, new Random(5041)));
  final ProtectionDomain domain = new ProtectionDomain("ours");
  final RecordingUlp ulp = new RecordingUlp();
  final DdpStream stream;
  final RawUlpduPeer peer;
  final InMemoryTcpPair tcp;

  private DdpFixture(
      boolean initiator, int emss, int held, MpaSettings mpa, QueueSettings... queues) {
    DdpSettings settings = new DdpSettings(16, 4, List.of(queues), held, null, null, false);
    if (initiator) {
      stream = ulp.initiator(engine, domain, settings, new byte[0], mpa);
      peer = RawUlpduPeer.responder();
    } else {
      stream = ulp.responder(engine, domain, settings);
      peer = RawUlpduPeer.initiator();
    }
    tcp = new InMemoryTcpPair(ulp.startup, peer.transport(), emss);
    run();
    if (!initiator) {
      ulp.startup.accept(new byte[0]);
      run();
    }
    ulp.events();
  }

  /** A stream that may send from the start. */
  static DdpFixture sending(int emss, int... receiveDepths) {
    return new DdpFixture(true, emss, 0, MpaSettings.DEFAULTS, buffered(receiveDepths));
  }

  /** A stream that may send from the start, and packs its segments. */
  static DdpFixture packing() {
    MpaSettings mpa = MpaSettings.DEFAULTS.withPacking(true);
    return new DdpFixture(true, EMSS, 0, mpa, buffered(1));
  }

  /** A stream whose peer may send from the start. */
  static DdpFixture receiving(int... receiveDepths) {
    return new DdpFixture(false, EMSS, 0, MpaSettings.DEFAULTS, buffered(receiveDepths));
  }

  /** A stream that keeps so many octets of messages without a buffer. */
  static DdpFixture holding(int octets, int... receiveDepths) {
    return new DdpFixture(false, EMSS, octets, MpaSettings.DEFAULTS, buffered(receiveDepths));
  }

  /** A stream that keeps such messages, with queues of any kind. */
  static DdpFixture holding(int octets, QueueSettings... queues) {
    return new DdpFixture(false, EMSS, octets, MpaSettings.DEFAULTS, queues);
  }

  /** A stream whose peer may send from the start, with queues of any kind. */
  static DdpFixture receiving(QueueSettings... queues) {
    return new DdpFixture(false, EMSS, 0, MpaSettings.DEFAULTS, queues);
  }

  private static QueueSettings[] buffered(int... depths) {
    return Arrays.stream(depths).mapToObj(QueueSettings::buffered).toArray(QueueSettings[]::new);
  }

  /** Lets everything happen that can. */
  void run() {
    tcp.run(() -> engine.send(Integer.MAX_VALUE));
  }

  /** The peer sends ULPDUs, given in hexadecimal; returns the user's callbacks. */
  List<String> receive(String... ulpdus) {
    for (String ulpdu : ulpdus) {
      peer.send(ulpdu);
    }
    run();
    return ulp.events();
  }

  /** A tagged segment in hexadecimal. */
  static String tagged(int control, int stag, long to, String payload) {
    return "%02x40%08x%016x".formatted(control, stag, to) + payload;
  }

  /** An untagged segment in hexadecimal. */
  public static String untagged(int control, int qn, int msn, int mo, String payload) {
    return "%02x4300000000%08x%08x%08x".formatted(control, qn, msn, mo) + payload;
  }

  /** {@code octets} octets in hexadecimal, each {@code value}. */
  static String octets(int octets, int value) {
    return "%02x".formatted(value).repeat(octets);
  }
}
