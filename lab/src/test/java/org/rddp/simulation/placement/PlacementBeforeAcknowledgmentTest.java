package org.rddp.simulation.placement;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.device.NativePacketPool;
import org.rddp.ip.Ipv4Address;
import org.rddp.mpa.FpduObserver;
import org.rddp.mpa.MpaSettings;
import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.Negotiated;
import org.rddp.mpa.StartupHandler;
import org.rddp.mpa.Ulpdu;
import org.rddp.rdmap.CompletionKind;
import org.rddp.rdmap.RdmapCompletionStatus;
import org.rddp.rdmap.RdmapHandler;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.rdmap.RdmapStream;
import org.rddp.simulation.Families;
import org.rddp.simulation.LongFrames;
import org.rddp.simulation.Network;
import org.rddp.simulation.NetworkEvent;
import org.rddp.simulation.RandomSettings;
import org.rddp.simulation.SegmentView;
import org.rddp.simulation.SimulatedHost;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.TcpSettings;
import org.rddp.wire.Memory;
import org.rddp.wire.Tcp;

/**
 * Whenever a segment leaves a host, every FPDU that its acknowledgment number covers has been
 * placed: a Send or Write that completes when it is acknowledged is in the peer's memory by then.
 * Octets are compared at the moment at which the segment leaves, on networks that lose, reorder,
 * duplicate, corrupt and cut segments, all by seed.
 */
class PlacementBeforeAcknowledgmentTest {
  private static final int SEEDS = 40;
  private static final long HOUR = 3_600_000_000_000L;
  private static final int PORT = 7;
  private static final int PACKETS = 2048;
  private static final int MESSAGES = 60;
  private static final int LONGEST = 8000;
  private static final int DEPTH = 16;
  private static final Ipv4Address WRITER = Ipv4Address.parse("10.0.0.1");
  private static final Ipv4Address READER = Ipv4Address.parse("10.0.0.2");

  /** An FPDU of the writer, and where its payload goes. */
  private record Fpdu(long end, int offset, int octets) {}

  /** One end: its memory, and what it has been told. */
  private static final class End implements StartupHandler, RdmapHandler {
    private final MemorySegment memory = Arena.ofAuto().allocate((long) MESSAGES * LONGEST, 64);
    private final DdpEngine engine;
    private final RdmapStream stream;
    private final MpaStartup startup;
    private int sent;
    private int received;
    private boolean up;
    private CloseReason ended;

    End(SplittableRandom random, RdmapSettings settings, boolean initiator) {
      engine = new DdpEngine(new TaggedBuffers(4, random));
      stream = new RdmapStream(engine, new ProtectionDomain("p"), settings, this);
      startup =
          initiator
              ? MpaStartup.initiator(settings.mpa(), new byte[0], this, stream.ddp())
              : MpaStartup.responder(settings.mpa(), this, stream.ddp());
    }

    @Override
    public void onRequest(MpaStartup asked, byte[] privateData) {
      asked.accept(new byte[0]);
    }

    @Override
    public void onAgreed(Negotiated terms, byte[] privateData) {
      up = true;
    }

    @Override
    public void onRejected(byte[] privateData) {
      throw new AssertionError("rejected");
    }

    @Override
    public void onCompletion(long token, int kind, int status, long octets) {
      assertThat(status).isEqualTo(RdmapCompletionStatus.SUCCESS);
      assertThat(kind).isNotEqualTo(CompletionKind.RECEIVE);
      assertThat(token).isEqualTo(sent);
      sent++;
    }

    @Override
    public void onReceived(long token, long octets, boolean solicited, int invalidated) {
      received++;
    }

    @Override
    public void onError(int layer, int type, int code, String detail) {
      throw new AssertionError(detail);
    }

    @Override
    public void onPeerClosed() {
      stream.close();
    }

    @Override
    public void onClosed(CloseReason reason) {
      ended = reason;
    }
  }

  private Network network;
  private End writer;
  private End reader;
  private final Deque<Fpdu> unacknowledged = new ArrayDeque<>();
  private final int[] receives = new int[MESSAGES + 1];
  private int firstSequence;
  private int compared;
  private boolean early;

  static IntStream seeds() {
    return IntStream.rangeClosed(1, SEEDS);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  @Tag("RDMAP-5.5-09")
  void shouldPlaceBeforeItAcknowledges(int seed) {
    run(seed);
    assertThat(compared).isGreaterThanOrEqualTo(MESSAGES);
    assertThat(unacknowledged).isEmpty();
  }

  @Test
  void shouldMeetSegmentsThatArePlacedEarly() {
    int seed = 0;
    do {
      run(++seed);
    } while (!early && seed < SEEDS);
    assertThat(early).isTrue();
  }

  private void run(int seed) {
    compared = 0;
    SplittableRandom random = new SplittableRandom(seed);
    RandomSettings choices = new RandomSettings(random);
    network = new Network(random.nextLong());
    TcpSettings tcp =
        choices.tcpSettings().withUserTimeout(HOUR).withKeepAlive(Long.MAX_VALUE).withBacklog(8);
    int mtu = choices.mtu();
    SimulatedHost from = host(WRITER, tcp, mtu, 1);
    SimulatedHost to = host(READER, tcp, mtu, 1 + random.nextInt(3));
    network.join(
        from.card(),
        to.card(),
        choices.wireSettings().withCorruptUnseen(0),
        choices.wireSettings());
    boolean packing = random.nextBoolean();
    writer = new End(random.split(), settings(packing, random.nextBoolean()), true);
    reader = new End(random.split(), settings(packing, random.nextBoolean()), false);
    writer.stream.ddp().observe(new Observer());
    early = false;
    reader.stream.ddp().observe(new EarlyObserver());
    fill(writer.memory, random);
    from.inTurn(() -> writer.engine.send(64));
    to.inTurn(() -> reader.engine.send(64));
    network.addListener(this::onFrame);
    to.listen(PORT, (stream, address, port) -> reader.startup);
    from.stack().connect(to.connectAddress(), PORT, writer.startup);
    from.scheduleTurn();
    runUntil(() -> writer.up && reader.up);
    exchange(random, from);
    writer.stream.close();
    from.scheduleTurn();
    runUntil(() -> writer.ended != null && reader.ended != null);
    assertThat(writer.ended).isEqualTo(CloseReason.NORMAL);
    assertThat(writer.sent).isEqualTo(MESSAGES);
  }

  private SimulatedHost host(Ipv4Address address, TcpSettings tcp, int mtu, int stacks) {
    NativePacketPool pool = new NativePacketPool(PACKETS, Math.max(mtu + 14, 2048));
    return new SimulatedHost(
        network, address, tcp, pool, mtu, LongFrames.NONE, stacks, Families.IPV4, null);
  }

  private static RdmapSettings settings(boolean packing, boolean markers) {
    MpaSettings mpa =
        MpaSettings.DEFAULTS
            .withPacking(packing)
            .withMarkers(markers)
            .withStartupTimeoutNanos(HOUR);
    return new RdmapSettings(mpa, DEPTH, MESSAGES).withAcknowledged(true);
  }

  private static void fill(MemorySegment memory, SplittableRandom random) {
    byte[] octets = new byte[(int) memory.byteSize()];
    random.nextBytes(octets);
    MemorySegment.copy(
        octets, 0, memory, java.lang.foreign.ValueLayout.JAVA_BYTE, 0, octets.length);
  }

  private void runUntil(java.util.function.BooleanSupplier done) {
    assertThat(network.run(done, network.now() + HOUR)).isTrue();
  }

  /** Posts messages, each for a range of the reader's memory of its own, as the queue has room. */
  private void exchange(SplittableRandom random, SimulatedHost from) {
    int stag =
        reader
            .engine
            .taggedBuffers()
            .register(
                reader.stream.ddp().protectionDomain(),
                null,
                reader.memory.address(),
                reader.memory.byteSize(),
                0,
                AccessRights.REMOTE_WRITE);
    int sends = 0;
    for (int i = 0; i < MESSAGES; i++) {
      int offset = i * LONGEST;
      int length = 1 + random.nextInt(random.nextBoolean() ? LONGEST : 100);
      StreamRequest request = new StreamRequest(i).memory(writer.memory.address() + offset, length);
      int number = i;
      runUntil(() -> number - writer.sent < DEPTH);
      if (random.nextInt(3) == 0) {
        receives[++sends] = offset;
        reader.stream.postReceive(
            new StreamRequest(0).memory(reader.memory.address() + offset, LONGEST));
        assertThat(writer.stream.postSend(request.remote(0, 0))).isTrue();
      } else {
        assertThat(writer.stream.postWrite(request.remote(stag, offset))).isTrue();
      }
      from.scheduleTurn();
    }
    runUntil(() -> writer.sent == MESSAGES);
    assertThat(reader.received).isEqualTo(sends);
  }

  /** Takes note of the FPDUs that the writer sends. */
  private final class Observer implements FpduObserver {
    private static final int TAGGED = 0x80;
    private static final int TAGGED_HEADER = 14;
    private static final int UNTAGGED_HEADER = 18;

    @Override
    public void onSent(long position, int octets, long head, int headLength, int ulpduLength) {
      boolean tagged = (Memory.getByte(head) & TAGGED) != 0;
      int offset =
          tagged
              ? (int) Memory.getLong(head + 6)
              : receives[Memory.getInt(head + 10)] + Memory.getInt(head + 14);
      int payload = ulpduLength - (tagged ? TAGGED_HEADER : UNTAGGED_HEADER);
      unacknowledged.add(new Fpdu(position + octets, offset, payload));
    }

    @Override
    public void onReceived(int octets, Ulpdu ulpdu) {}
  }

  /** Takes note of FPDUs that the reader gets before their turn. */
  private final class EarlyObserver implements FpduObserver {
    @Override
    public void onSent(long position, int octets, long head, int headLength, int ulpduLength) {}

    @Override
    public void onReceived(int octets, Ulpdu ulpdu) {
      early |= ulpdu.early();
    }
  }

  private void onFrame(NetworkEvent event, long frame, int length, int detail) {
    if (event != NetworkEvent.SENT || !SegmentView.isSegment(frame, length)) {
      return;
    }
    long segment = SegmentView.segment(frame);
    int flags = Memory.getByte(segment + 13);
    boolean toReader = (Memory.getShort(segment + 2) & 0xffff) == PORT;
    if (toReader && (flags & Tcp.SYN) != 0) {
      firstSequence = Memory.getInt(segment + 4) + 1;
    } else if (!toReader && (flags & Tcp.ACK) != 0) {
      int acknowledged = Memory.getInt(segment + 8) - firstSequence;
      while (!unacknowledged.isEmpty() && unacknowledged.peek().end() <= acknowledged) {
        compare(unacknowledged.remove());
      }
    }
  }

  private void compare(Fpdu fpdu) {
    long mismatch =
        MemorySegment.mismatch(
            writer.memory,
            fpdu.offset(),
            fpdu.offset() + fpdu.octets(),
            reader.memory,
            fpdu.offset(),
            fpdu.offset() + fpdu.octets());
    assertThat(mismatch).as("placed before it is acknowledged: %s", fpdu).isEqualTo(-1);
    compared++;
  }
}
