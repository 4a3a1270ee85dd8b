package org.rddp.ddp;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.mpa.Ulpdu;
import org.rddp.mpa.UlpduHandler;
import org.rddp.wire.Memory;

/**
 * A peer that speaks MPA properly and then puts anything into DDP's headers: near the right values,
 * at the ends of the numbers, or random.
 */
class HostilePeerTest {
  private static final int LIVES = 400;
  private static final int SEGMENTS = 40;
  private static final int LENGTH = 256;
  private static final int FROM = 64;
  private static final int RANGE = 128;
  private static final long BASE = 0x7fff_ffff_ffff_ff00L;

  private final Random random = new Random(20_261_120);
  private final MemorySegment scratch = Arena.ofAuto().allocate(1024);
  private long early;
  private int errors;
  private int delivered;

  private long pick(long... near) {
    long value = near[random.nextInt(near.length)];
    return switch (random.nextInt(8)) {
      case 0 -> value + random.nextInt(5) - 2;
      case 1 -> random.nextInt(3) - 1;
      case 2 -> random.nextBoolean() ? Long.MIN_VALUE : Long.MAX_VALUE;
      case 3 -> random.nextLong();
      default -> value;
    };
  }

  private String payload() {
    int octets = random.nextInt(4) > 0 ? random.nextInt(24) : random.nextInt(LENGTH + 40);
    return DdpFixture.octets(octets, 0x11);
  }

  private int control(int right) {
    return random.nextInt(30) == 0 ? random.nextInt(256) : right;
  }

  private String segment(int stag, int foreign, int[] nextMsn) {
    if (random.nextInt(60) == 0) {
      return DdpFixture.octets(1 + random.nextInt(17), random.nextInt(256));
    }
    if (random.nextBoolean()) {
      int control = control(random.nextBoolean() ? 0xc1 : 0x81);
      int name =
          random.nextInt(20) == 0 ? foreign : (int) (random.nextInt(20) > 0 ? stag : pick(stag));
      return DdpFixture.tagged(
          control,
          name,
          BASE + (random.nextInt(20) > 0 ? random.nextInt(100) : pick(0, RANGE)),
          payload());
    }
    boolean last = random.nextBoolean();
    int qn = random.nextInt(20) > 0 ? random.nextInt(2) : (int) pick(0, 2);
    int msn = qn >= 0 && qn < 2 ? nextMsn[qn] : 1;
    if (last && qn >= 0 && qn < 2) {
      nextMsn[qn]++;
    }
    int mo = random.nextInt(20) > 0 ? 0 : (int) pick(0, LENGTH);
    return DdpFixture.untagged(
        control(last ? 0x41 : 0x01),
        qn,
        random.nextInt(20) > 0 ? msn : (int) pick(msn),
        mo,
        payload());
  }

  /** A stream with an open range and 32 buffers; the STags are the same in each. */
  private static final class Sink {
    final DdpFixture ddp = DdpFixture.receiving(16, 16);
    final GuardedMemory region = new GuardedMemory(LENGTH);
    final GuardedMemory buffers = new GuardedMemory(LENGTH);
    final int stag = register(ddp.domain, region.address() + FROM, RANGE);
    final int foreign = register(new ProtectionDomain("theirs"), region.address(), LENGTH);

    Sink(long lengths) {
      Random random = new Random(lengths);
      for (int i = 0; i < 32; i++) {
        int at = 8 * i;
        ddp.stream.postReceive(
            i % 2,
            new StreamRequest(i).memory(buffers.address() + at, random.nextInt(LENGTH - at + 1)));
      }
      ddp.ulp.early = AccessRights.REMOTE_WRITE;
    }

    private int register(ProtectionDomain domain, long address, int length) {
      return ddp.engine
          .taggedBuffers()
          .register(domain, null, address, length, BASE, AccessRights.REMOTE_WRITE);
    }

    void end() {
      ddp.stream.abort();
      byte[] model = region.octets();
      Arrays.fill(model, 0, FROM, GuardedMemory.POISON);
      Arrays.fill(model, FROM + RANGE, LENGTH, GuardedMemory.POISON);
      region.assertHolds(model);
      buffers.assertHolds(buffers.octets());
      assertThat(ddp.tcp.freePackets()).isEqualTo(ddp.tcp.packets());
    }
  }

  private void live() {
    long lengths = random.nextLong();
    Sink sink = new Sink(lengths);
    int[] nextMsn = {1, 1};
    String[] segments = new String[SEGMENTS];
    for (int i = 0; i < SEGMENTS; i++) {
      segments[i] = segment(sink.stag, sink.foreign, nextMsn);
    }
    List<String> events = sink.ddp.receive(segments);
    sink.end();
    check(events, sink.ddp.ulp.events());

    Sink other = new Sink(lengths);
    assertThat(receiveEarly(other, segments))
        .as("the order of arrival is not seen")
        .isEqualTo(events);
    other.end();
    early += other.ddp.engine.receiveCounters().segmentsPlacedEarly;
  }

  /** Passes some segments out of order, as MPA does. */
  private List<String> receiveEarly(Sink sink, String[] segments) {
    UlpduHandler life = sink.ddp.stream;
    boolean[] taken = new boolean[segments.length];
    int next = 0;
    while (next < segments.length) {
      for (int i = random.nextInt(6); i > 0; i--) {
        int later = next + 1 + random.nextInt(6);
        if (later < segments.length && !taken[later]) {
          taken[later] = life.onEarlyUlpdu(ulpdu(later, segments[later]));
        }
      }
      life.onUlpdu(ulpdu(next, segments[next]));
      next++;
      int first = next;
      while (next < segments.length && taken[next]) {
        next++;
      }
      if (next > first) {
        life.onDelivered(position(next));
      }
    }
    return sink.ddp.ulp.events();
  }

  private static long position(int segment) {
    return 1000L * segment;
  }

  private Ulpdu ulpdu(int segment, String hex) {
    byte[] octets = HexFormat.of().parseHex(hex);
    Memory.copy(octets, 0, scratch.address(), octets.length);
    return Ulpdu.of(position(segment), scratch.address(), octets.length);
  }

  /** Every buffer comes back once; nothing but flushes and the report come with an error. */
  private void check(List<String> events, List<String> atTheEnd) {
    long reports = events.stream().filter(event -> event.startsWith("error")).count();
    assertThat(reports).isLessThanOrEqualTo(1);
    if (reports == 1) {
      assertThat(events.getLast()).startsWith("error");
    }
    long back =
        List.of(events, atTheEnd).stream()
            .flatMap(List::stream)
            .filter(event -> event.startsWith("untagged") || event.startsWith("receive flushed"))
            .count();
    assertThat(back).isEqualTo(32);
    errors += (int) reports;
    delivered += (int) events.stream().filter(event -> event.contains("tagged")).count();
  }

  @Test
  @Tag("DDP-8.1-01")
  @Tag("DDP-8.3.1-01")
  @Tag("DDP-7.1-16")
  @Tag("DDP-5.3-06")
  void shouldHarmNothingOutsideItsReach() {
    for (int i = 0; i < LIVES; i++) {
      live();
    }
    assertThat(errors).isGreaterThan(LIVES / 2);
    assertThat(delivered).isGreaterThan(LIVES);
    assertThat(early).isGreaterThan(LIVES);
  }
}
