package org.rddp.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.mpa.MpaEndpoint.C;
import static org.rddp.mpa.MpaEndpoint.M;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Random ULPDUs in random segments in random order; a failure names its seed. */
class EarlyFpduSeededTest {
  private static final int START = 20;
  private static final int LIVES = 500;

  /** A stream with Markers that a real sender made, cut into segments that come in some order. */
  private static final class Life {
    final TreeMap<Long, byte[]> sent = new TreeMap<>();
    final boolean crc;
    final byte[] stream;
    final MpaEndpoint end;
    private final List<int[]> segments = new ArrayList<>();
    private final long seed;

    Life(long seed) {
      this.seed = seed;
      Random random = new Random(seed);
      crc = random.nextInt(4) != 0;
      MpaEndpoint sender =
          MpaEndpoint.initiating(MpaSettings.DEFAULTS.withCrc(crc), M | (crc ? C : 0));
      sender.stream.changeEmss(150 + random.nextInt(random.nextBoolean() ? 1400 : 2000));
      int most = random.nextInt(3) == 0 ? 60 : sender.mpa().mulpdu();
      long at = START;
      for (int i = 1 + random.nextInt(40); i > 0; i--) {
        byte[] ulpdu = new byte[1 + random.nextInt(most)];
        random.nextBytes(ulpdu);
        sender.send(ulpdu, random.nextInt(ulpdu.length + 1));
        sent.put(at, ulpdu);
        at = (long) START + total(sender);
      }
      cut(sender, random);
      stream = sender.stream.takeSent();
      MpaSettings settings = MpaSettings.DEFAULTS.withMarkers(true).withCrc(crc).withEarly(true);
      end = MpaEndpoint.responding(settings, crc ? C : 0);
    }

    private static int total(MpaEndpoint sender) {
      return sender.stream.segments().stream().mapToInt(segment -> segment.length).sum();
    }

    /** As they were sent, or anew; shuffled within a distance. */
    private void cut(MpaEndpoint sender, Random random) {
      int total = total(sender);
      boolean aligned = random.nextBoolean();
      int largest = Math.max(total / 40, 1 + random.nextInt(2000));
      int at = 0;
      for (int i = 0; at < total; i++) {
        int part = aligned ? sender.stream.segments().get(i).length : 1 + random.nextInt(largest);
        part = Math.min(Math.min(part, 2200), total - at);
        segments.add(new int[] {at, part});
        at += part;
      }
      for (int i = 0; i < segments.size(); i += 5 + random.nextInt(20)) {
        Collections.shuffle(
            segments.subList(i, Math.min(segments.size(), i + 1 + random.nextInt(20))), random);
      }
    }

    void run() {
      for (int[] segment : segments) {
        if (!end.stream.isClosed()) {
          end.stream.arrive(stream, START, segment[0], segment[1]);
        }
      }
    }

    /**
     * What was passed was sent so, once each, and had its turn when everything before was there.
     */
    void check() {
      TreeMap<Long, byte[]> passed = new TreeMap<>();
      int ulpdu = 0;
      for (String event : end.handler.events) {
        if (event.startsWith("ulpdu") || event.startsWith("early")) {
          long position = end.handler.positions.get(ulpdu);
          byte[] octets = end.handler.ulpdus.get(ulpdu);
          ulpdu++;
          assertThat(passed.put(position, octets)).as("seed %d: twice", seed).isNull();
          if (crc) {
            assertThat(octets)
                .as("seed %d: position %d", seed, position)
                .isEqualTo(sent.get(position));
          }
          if (event.startsWith("ulpdu")) {
            assertNothingMissingBefore(position, passed);
          }
        } else if (event.startsWith("delivered ")) {
          assertNothingMissingBefore(Long.parseLong(event.substring(10)), passed);
        }
      }
      assertThat(end.stream.pool().available()).isEqualTo(end.stream.pool().capacity());
    }

    private void assertNothingMissingBefore(long position, NavigableMap<Long, byte[]> passed) {
      assertThat(passed.headMap(position).keySet())
          .as("seed %d: before %d", seed, position)
          .isEqualTo(sent.headMap(position).keySet());
    }
  }

  @Test
  @Tag("MPAA-4-01") // FPDUs anywhere in segments
  @Tag("MPAA-4-02") // found by Markers
  @Tag("MPA-4.3-15") // ULPDUs with their boundaries
  @Tag("MPAB-1-04") // Delivered in order only
  @Tag("MPA-3-11") // with the sender's order
  void shouldPassEveryUlpduOnceInWhateverOrderSegmentsCome() {
    int early = 0;
    for (long seed = 1; seed <= LIVES; seed++) {
      Life life = new Life(seed);
      life.run();
      assertThat(life.end.handler.error).as("seed %d", seed).isNull();
      assertThat(life.end.handler.ulpdus).as("seed %d", seed).hasSize(life.sent.size());
      life.check();
      early += life.end.handler.early;
    }
    assertThat(early).isGreaterThan(LIVES);
  }

  @Test
  @Tag("MPA-6-01")
  @Tag("MPA-8-13")
  void shouldNeverPassAFlippedBitInWhateverOrderSegmentsCome() {
    int early = 0;
    int caught = 0;
    for (long seed = 1; seed <= LIVES; seed++) {
      Life life = new Life(seed);
      if (!life.crc) {
        continue;
      }
      int bit = new Random(-seed).nextInt(8 * life.stream.length);
      life.stream[bit / 8] ^= (byte) (1 << (bit % 8));
      life.run();
      if (life.end.handler.error == null) {
        // The flip made a length too large: the rest of the stream is taken for one FPDU.
        life.end.stream.peerCloses();
      }
      caught += life.end.handler.error != null ? 1 : 0;
      assertThat(life.end.handler.ulpdus).hasSizeLessThan(life.sent.size());
      life.check();
      early += life.end.handler.early;
    }
    assertThat(early).isPositive();
    assertThat(caught).isPositive();
    assertThat(Arrays.asList(early, caught)).doesNotContain(0);
  }
}
