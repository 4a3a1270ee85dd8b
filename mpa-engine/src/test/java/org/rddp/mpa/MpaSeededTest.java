package org.rddp.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.mpa.MpaEndpoint.C;
import static org.rddp.mpa.MpaEndpoint.M;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random ULPDUs through a sender and a receiver; a failure names its seed. */
class MpaSeededTest {
  /** A stream made by {@link MpaSender}, and the ULPDUs in it. */
  private static final class Sent {
    final boolean markers;
    final boolean crc;
    final boolean packing;
    final List<byte[]> segments;

    /** Whether EMSS was the same throughout. */
    boolean steady = true;

    final List<byte[]> ulpdus = new ArrayList<>();
    final byte[] stream;

    Sent(Random random) {
      markers = random.nextBoolean();
      crc = random.nextInt(4) != 0;
      packing = random.nextBoolean();
      MpaSettings settings = MpaSettings.DEFAULTS.withCrc(crc).withPacking(packing);
      MpaEndpoint sender = MpaEndpoint.initiating(settings, (markers ? M : 0) | (crc ? C : 0));
      sender.stream.changeEmss(150 + random.nextInt(random.nextBoolean() ? 1400 : 2100));
      int count = 1 + random.nextInt(30);
      for (int i = 0; i < count; i++) {
        int most = random.nextInt(3) == 0 ? 20 : sender.mpa().mulpdu();
        byte[] ulpdu = new byte[1 + random.nextInt(most)];
        random.nextBytes(ulpdu);
        sender.send(ulpdu, random.nextInt(ulpdu.length + 1));
        ulpdus.add(ulpdu);
        if (random.nextInt(5) == 0) {
          sender.stream.endTurn();
        }
        if (random.nextInt(20) == 0) {
          steady = false;
          sender.stream.changeEmss(60 + random.nextInt(2000));
        }
      }
      sender.stream.endTurn();
      segments = List.copyOf(sender.stream.segments());
      stream = sender.stream.takeSent();
    }

    MpaEndpoint receiver() {
      MpaSettings settings = MpaSettings.DEFAULTS.withMarkers(markers).withCrc(crc);
      return MpaEndpoint.responding(settings, crc ? C : 0);
    }
  }

  static List<Long> seeds() {
    List<Long> seeds = new ArrayList<>();
    for (long seed = 1; seed <= 300; seed++) {
      seeds.add(seed);
    }
    return seeds;
  }

  @ParameterizedTest
  @MethodSource("seeds")
  @Tag("MPA-4.1-08")
  @Tag("MPA-5.1-05")
  @Tag("MPA-3-01")
  @DisplayName("RFC 5044 4: whatever is sent, the stream is the one that the text describes")
  void theStreamShouldBeTheFpdusOfTheUlpdus(long seed) {
    Sent sent = new Sent(new Random(seed));
    byte[] expected = {};
    for (byte[] ulpdu : sent.ulpdus) {
      byte[] fpdu = PeerOctets.fpdu(ulpdu, sent.markers ? expected.length : -1);
      expected = PeerOctets.join(expected, sent.crc ? fpdu : PeerOctets.withoutCrc(fpdu));
    }
    assertThat(sent.stream).isEqualTo(expected);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  @Tag("MPA-2-03")
  @Tag("MPAA-1-01")
  @DisplayName("RFC 5044 A.1: where EMSS has room for every FPDU, each segment holds whole ones")
  void segmentsShouldHoldWholeFpdus(long seed) {
    Sent sent = new Sent(new Random(seed));
    int fpdu = 0;
    int offset = 0;
    int count = 0;
    for (byte[] segment : sent.segments) {
      int filled = 0;
      while (filled < segment.length) {
        int size = PeerOctets.fpdu(sent.ulpdus.get(fpdu), sent.markers ? offset : -1).length;
        offset += size;
        filled += size;
        fpdu++;
        count++;
      }
      if (sent.steady) {
        assertThat(filled).isEqualTo(segment.length);
      } else if (filled > segment.length) {
        // An FPDU in pieces: EMSS was less than it needs.
        return;
      }
    }
    assertThat(count).isEqualTo(sent.ulpdus.size());
    assertThat(sent.segments.size()).isLessThanOrEqualTo(count);
  }

  private static void receive(MpaEndpoint end, byte[] stream, Random random) {
    int largest =
        switch (random.nextInt(4)) {
          case 0 -> 3;
          case 1 -> 100;
          default -> 2000;
        };
    for (int from = 0; from < stream.length && !end.stream.isClosed(); ) {
      int part = Math.min(stream.length - from, 1 + random.nextInt(largest));
      end.stream.receive(stream, from, part);
      from += part;
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  @Tag("MPA-4.3-15")
  @Tag("MPAA-4-01")
  @Tag("MPA-4.1-08")
  @Tag("MPAB-1-02")
  void everyUlpduShouldComeOutOnceInOrderAndUnchanged(long seed) {
    Random random = new Random(seed);
    Sent sent = new Sent(random);
    MpaEndpoint end = sent.receiver();
    receive(end, sent.stream, random);
    assertThat(end.handler.error).isNull();
    assertThat(end.handler.ulpdus).containsExactlyElementsOf(sent.ulpdus);
    assertThat(end.handler.positions).isSorted().doesNotHaveDuplicates();
    assertThat(end.stream.pool().available()).isEqualTo(end.stream.pool().capacity());
  }

  @ParameterizedTest
  @MethodSource("seeds")
  @Tag("MPA-8-04")
  @Tag("MPA-8-13")
  @Tag("MPA-6-02")
  void aFlippedBitShouldNeverBePassedWhileCrcsAreOn(long seed) {
    Random random = new Random(seed);
    Sent sent = new Sent(random);
    byte[] stream = sent.stream.clone();
    int bit = random.nextInt(8 * stream.length);
    stream[bit / 8] ^= (byte) (1 << (bit % 8));
    MpaEndpoint end = sent.receiver();
    receive(end, stream, random);
    if (sent.crc) {
      int passed = end.handler.ulpdus.size();
      assertThat(passed).isLessThan(sent.ulpdus.size());
      assertThat(end.handler.ulpdus).containsExactlyElementsOf(sent.ulpdus.subList(0, passed));
    }
    if (end.handler.error == null) {
      // The flip made a length too large: the rest of the stream is taken for one FPDU.
      end.stream.peerCloses();
      assertThat(end.handler.events.getLast()).isIn("error 1", "peer closed");
    }
    assertThat(end.stream.pool().available()).isEqualTo(end.stream.pool().capacity());
  }
}
