package org.rddp.interop.opcodes;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.device.CapturedDevice;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.interop.FrameFile;
import org.rddp.mpa.MpaSettings;
import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.Rtr;
import org.rddp.rdmap.RdmapFlags;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.rdmap.RdmapStream;

/**
 * Makes captures of every RDMAP message, from both ends of a connection, and of Terminates of every
 * layer, each on a connection of its own. {@code interop/tshark/run} starts it.
 *
 * <p>Prints a line for each Terminate: the capture, and layer, type and code.
 */
public final class OpcodeCaptures {
  private static final int PACKETS = 1024;
  private static final int FRAMES = 256;
  private static final int PORT = 7100;
  private static final int DEPTH = 64;
  private static final long STEP = 10_000;
  private static final long TIMEOUT = 60_000_000_000L;
  private static final int LONG_MESSAGE = 20_000;
  private static final int UNKNOWN_STAG = 0x1234_5678;

  private final OpcodeHost left;
  private final OpcodeHost right;
  private final FrameFile writer;
  private final RdmapSettings settings;
  private final String capture;
  private long now;
  private int port = PORT;

  private OpcodeCaptures(Path directory, String capture, int mtu, MpaSettings mpa)
      throws IOException {
    this.capture = capture;
    settings = new RdmapSettings(mpa, DEPTH, DEPTH);
    Path file = directory.resolve(capture + ".pcap");
    writer = new FrameFile(file, () -> now);
    NativePacketPool one = new NativePacketPool(PACKETS, mtu + 64);
    NativePacketPool two = new NativePacketPool(PACKETS, mtu + 64);
    LoopedDevice[] link = LoopedDevice.pair(one, two, mtu, FRAMES);
    Random random = new Random(mtu);
    left = new OpcodeHost(new CapturedDevice(link[0], writer), "10.0.0.1", random);
    right = new OpcodeHost(link[1], "10.0.0.2", random);
  }

  /**
   * Makes the captures.
   *
   * @param arguments the directory for the captures
   */
  public static void main(String[] arguments) throws IOException {
    Path directory = Path.of(arguments[0]);
    MpaSettings plain = MpaSettings.DEFAULTS;
    new OpcodeCaptures(directory, "plain", 1500, plain).make();
    new OpcodeCaptures(directory, "jumbo", 9000, plain).make();
    new OpcodeCaptures(directory, "packed", 1500, plain.withPacking(true)).make();
    new OpcodeCaptures(directory, "markers", 1500, plain.withMarkers(true)).make();
  }

  private void make() throws IOException {
    connect(settings, settings);
    left.postReceives(DEPTH / 2);
    right.postReceives(DEPTH / 2);
    exchange(left, right);
    exchange(right, left);
    end();
    terminates();
    left.close();
    right.close();
    writer.close();
  }

  /** Sends one message of each kind, long ones in several segments. */
  private void exchange(OpcodeHost one, OpcodeHost other) {
    RdmapStream stream = one.stream();
    long from = one.memory;
    long to = other.memory;
    int before = one.completed();
    int solicited = RdmapFlags.SOLICITED;
    stream.postWrite(new StreamRequest(1).memory(from, LONG_MESSAGE).remote(other.stag(), to));
    stream.postWrite(new StreamRequest(2).memory(from, 0).remote(other.stag(), to));
    stream.postRead(
        new StreamRequest(3).local(one.stag(), from, LONG_MESSAGE).remote(other.stag(), to));
    stream.postRead(new StreamRequest(4).local(one.stag(), from, 0).remote(other.stag(), to));
    stream.postSend(new StreamRequest(5).memory(from, 61));
    stream.postSend(new StreamRequest(6).flags(solicited).memory(from, 0));
    stream.postImmediate(new StreamRequest(7).immediate(-1));
    stream.postImmediate(new StreamRequest(8).flags(solicited).immediate(1));
    stream.postWriteImmediate(
        new StreamRequest(9).memory(from, 100).remote(other.stag(), to).immediate(2));
    stream.postFetchAdd(
        new StreamRequest(10)
            .memory(from, 8)
            .remote(other.stag(), to + 8)
            .operands(5, 0x80, 0, -1));
    stream.postCompareSwap(
        new StreamRequest(11)
            .memory(from + 8, 8)
            .remote(other.stag(), to + 8)
            .operands(6, 0xff, 0, 0));
    stream.postCompareSwap(
        new StreamRequest(12)
            .memory(from + 16, 8)
            .remote(other.stag(), to + 8)
            .operands(7, -1, 6, 0xff));
    runUntil(() -> one.completed() - before >= 12);
    stream.postSend(new StreamRequest(13).memory(from, 13).remote(other.stag(), 0));
    runUntil(() -> one.completed() - before >= 13);
    settle();
    other.registerRegion();
    stream.postSend(
        new StreamRequest(14).flags(solicited).memory(from, 14).remote(other.stag(), 0));
    runUntil(() -> one.completed() - before >= 14);
    settle();
    other.registerRegion();
  }

  private void terminates() {
    long from = left.memory;
    long to = right.memory;
    // RDMAP, with and without the header of an RDMA Read Request.
    terminate(host ->
        host.stream()
            .postRead(new StreamRequest(1).local(host.stag(), from, 8).remote(UNKNOWN_STAG, 0)));
    terminate(host ->
        host.stream()
            .postRead(new StreamRequest(1).local(host.stag(), from, 8).remote(right.stag(), -4)));
    terminate(host -> {
      right.postReceives(1);
      host.stream().postSend(new StreamRequest(1).memory(from, 8).remote(UNKNOWN_STAG, 0));
    });
    terminate(host ->
        host.stream()
            .postFetchAdd(
                new StreamRequest(1)
                    .memory(from, 8)
                    .remote(right.stag(), to + 1)
                    .operands(1, 0, 0, -1)));
    // DDP, with a tagged and an untagged header.
    terminate(host ->
        host.stream().postWrite(new StreamRequest(1).memory(from, 8).remote(UNKNOWN_STAG, 0)));
    terminate(host ->
        host.stream()
            .postWrite(
                new StreamRequest(1).memory(from, 8).remote(right.stag(), to + OpcodeHost.REGION)));
    terminate(host -> host.stream().postSend(new StreamRequest(1).memory(from, 8)));
    // MPA: the two ends have no RTR message in common.
    MpaSettings mpa = settings.mpa().withRevision(2).withPeerToPeer(true);
    connect(with(mpa.withRtr(Set.of(Rtr.WRITE))), with(mpa.withRtr(Set.of(Rtr.READ))));
    ended();
  }

  private RdmapSettings with(MpaSettings mpa) {
    return new RdmapSettings(mpa, DEPTH, DEPTH);
  }

  private void terminate(Consumer<OpcodeHost> mistake) {
    connect(settings, settings);
    mistake.accept(left);
    ended();
  }

  /** Waits for the end of a failed stream, and prints its error. */
  private void ended() {
    runUntil(() -> !left.error().isEmpty() && left.closed() && right.closed());
    System.out.println(capture + " " + left.error());
  }

  private void connect(RdmapSettings lefts, RdmapSettings rights) {
    port++;
    left.useStream(new RdmapStream(left.engine, left.domain, lefts, left));
    right.useStream(new RdmapStream(right.engine, right.domain, rights, right));
    MpaStartup asked = MpaStartup.responder(rights.mpa(), right, right.stream().ddp());
    right.stack.listen(port, (tcp, address, from) -> asked);
    left.stack.connect(
        right.address,
        port,
        MpaStartup.initiator(lefts.mpa(), new byte[0], left, left.stream().ddp()));
    runUntil(() -> left.established() || !left.error().isEmpty());
  }

  private void end() {
    left.stream().close();
    runUntil(() -> left.closed() && right.closed());
  }

  private void settle() {
    while (left.turn(now) + right.turn(now) > 0) {
      now += STEP;
    }
  }

  private void runUntil(BooleanSupplier reached) {
    long until = now + TIMEOUT;
    while (!reached.getAsBoolean()) {
      if (left.turn(now) + right.turn(now) == 0) {
        long next = Math.min(left.stack.nextDeadline(), right.stack.nextDeadline());
        now = Math.max(now, Math.min(next, until));
      }
      now += STEP;
      if (now > until) {
        throw new IllegalStateException(
            "nothing moves: " + left.completed() + " done, " + left.error() + ", " + right.error());
      }
    }
  }
}
