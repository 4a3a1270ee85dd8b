package org.rddp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.GuardedMemory;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.DdpMemoryWindow;
import org.rddp.ddp.memory.DdpReferences;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.ddp.receiving.HeldMemory;
import org.rddp.mpa.MpaConnection;
import org.rddp.mpa.MpaSettings;
import org.rddp.snapshot.DamagedSnapshot;
import org.rddp.snapshot.Memories;
import org.rddp.snapshot.Snapshot;
import org.rddp.snapshot.SnapshotException;
import org.rddp.snapshot.SnapshotReader;
import org.rddp.snapshot.SnapshotWriter;

/**
 * A stream goes on from the snapshot of another one, in the middle of messages of both directions,
 * with its memory at another address; from the one that is kept among the test's resources; from no
 * snapshot that is damaged. {@code -Drddp.snapshot.write=true} writes the kept one anew: only with
 * another {@link Snapshot#FORMAT}.
 */
class RdmapSnapshotTest {
  private static final int HELD = 1 << 14;
  private static final Path KEPT =
      Path.of("src/test/resources/org/rddp/rdmap/snapshot-" + Snapshot.FORMAT + ".bin");

  private static final RdmapSettings SETTINGS =
      new RdmapSettings(
          MpaSettings.DEFAULTS,
          RdmapFixture.SEND_DEPTH,
          8,
          RdmapFixture.IRD,
          RdmapFixture.ORD,
          HELD);

  private final RdmapFixture rdmap = new RdmapFixture(SETTINGS);
  private GuardedMemory memory = rdmap.memory;
  private DdpEngine engine = rdmap.engine;
  private RdmapStream stream = rdmap.stream;
  private DdpMemoryWindow window = engine.taggedBuffers().allocateWindow(rdmap.domain);
  private final DdpMemoryWindow keyed =
      engine.taggedBuffers().allocateKeyedWindow(rdmap.domain, false);
  private final int stag = rdmap.register(AccessRights.ALL & ~AccessRights.REMOTE_INVALIDATE);
  private final int other = rdmap.readable();
  private Runnable goOnIfWanted = () -> {};
  private MpaConnection mpa = rdmap.user.startup.connection();
  private final List<String> sent = new ArrayList<>();

  private StreamRequest request(long token) {
    return new StreamRequest(token);
  }

  private void run() {
    rdmap.tcp.run(() -> engine.send(1000));
    sent.addAll(rdmap.sent());
  }

  private void peerSends(String... ulpdus) {
    for (String ulpdu : ulpdus) {
      rdmap.peer.send(ulpdu);
    }
  }

  /** A Send of the peer, or a part of it. */
  private static String send(int control, int msn, int offset, String octets) {
    return "%02x43 00000000 00000000 %08x %08x".formatted(control, msn, offset) + octets;
  }

  private static String octets(int count, int seed) {
    byte[] octets = new byte[count];
    new Random(seed).nextBytes(octets);
    return HexFormat.of().formatHex(octets);
  }

  /**
   * A Send of ours has been sent in part, other requests wait behind it; a Send of the peer has
   * come in part, another one is held, and a Read of the peer waits for its response.
   */
  private void beginMessages() {
    memory.put(0, HexFormat.of().parseHex(octets(4096, 1)));
    rdmap.tcp.setWindow(1);
    stream.postSend(request(1).memory(memory.address(), 3500));
    stream.postWrite(
        request(2)
            .memory(memory.address() + 100, 50)
            .memory(memory.address() + 300, 60)
            .remote(7, 8));
    stream.postRead(request(3).local(stag, 5000, 64).remote(9, 10));
    stream.postFetchAdd(
        request(4).memory(memory.address() + 5200, 8).remote(11, 16).operands(1, 0, 0, -1));
    stream.postWriteImmediate(request(5).memory(memory.address(), 9).remote(7, 0).immediate(99));
    stream
        .localOperations()
        .postBind(
            request(6)
                .flags(RdmapFlags.FENCED)
                .bind(window, engine.taggedBuffers().lookup(stag), AccessRights.REMOTE_READ)
                .local(stag, 200, 32));
    stream.localOperations().postInvalidate(request(7).local(other, 0, 0));
    stream.postReceive(request(8).memory(memory.address() + 6000, 200));
    stream.refuseReceive(9, RdmapCompletionStatus.LOCAL_PROTECTION_ERROR);
    engine.send(1000);
    peerSends(
        RdmapFixture.readRequest(1, 0x77, 0, 100, stag, 40),
        send(0x01, 1, 0, octets(100, 2)),
        send(0x01, 1, 100, octets(20, 3)));
    rdmap.tcp.run(() -> {});
    sent.addAll(rdmap.sent());
  }

  private void endMessages() {
    peerSends(send(0x41, 1, 120, octets(10, 4)), send(0x41, 2, 0, octets(33, 5)));
    rdmap.tcp.run(() -> {});
    goOnIfWanted.run();
    stream.postReceive(request(10).memory(memory.address() + 6400, 16).memory(at(6500), 90));
    rdmap.tcp.setWindow(64);
    run();
    peerSends("c142 %08x %016x".formatted(stag, 5000) + octets(64, 6));
    run();
    peerSends("414b 00000000 00000003 00000001 00000000 00000000" + octets(8, 7));
    run();
    stream.postSend(request(11).memory(at(0), 3));
    run();
    sent.add("the window is bound: " + window.isBound());
  }

  private long at(int offset) {
    return memory.address() + offset;
  }

  // ---- Snapshots ----

  private DdpReferences references(
      GuardedMemory of, RdmapStream its, List<DdpMemoryWindow> windows) {
    Memories memories = new Memories(List.of(new Memories.Range(of.address(), of.length())));
    return new DdpReferences(memories, List.of(rdmap.domain), List.of(its.ddp()), windows);
  }

  private byte[] write() {
    SnapshotWriter writer = new SnapshotWriter();
    transfer(writer, engine, stream, references(memory, stream, List.of(window, keyed)));
    return writer.finish();
  }

  /** Transfers all but MPA's state. */
  private void transfer(
      Snapshot snapshot, DdpEngine its, RdmapStream of, DdpReferences references) {
    its.transfer(snapshot, references, List.of(of.ddp()), List.of());
    of.transfer(snapshot, mpa, references);
  }

  private static DdpEngine newEngine() {
    TaggedBuffers stags = new TaggedBuffers(8, new Random(7306));
    return new DdpEngine(stags, new HeldMemory(Arena.ofAuto().allocate(2 * HELD, Long.BYTES)));
  }

  private void goOn() {
    goOn(write());
  }

  private void goOn(byte[] snapshot) {
    SnapshotWriter writer = new SnapshotWriter();
    MpaConnection written = MpaConnection.transfer(writer, mpa, null, null);
    byte[] lower = writer.finish();
    GuardedMemory moved = new GuardedMemory(memory.length());
    moved.put(0, memory.octets());
    memory.put(0, new byte[memory.length()]);
    written.retire();
    stream.ddp().retire();
    DdpEngine next = newEngine();
    RdmapStream successor = new RdmapStream(next, rdmap.domain, SETTINGS, rdmap.user);
    mpa =
        MpaConnection.transfer(
            new SnapshotReader(lower), null, rdmap.tcp.firstStream(), successor.ddp());
    rdmap.tcp.firstStream().handler(mpa);
    DdpReferences references = references(moved, successor, List.of());
    SnapshotReader reader = new SnapshotReader(snapshot);
    transfer(reader, next, successor, references);
    reader.finish();
    memory = moved;
    engine = next;
    stream = successor;
    window = references.windows().getFirst();
  }

  private List<String> outcome() {
    List<String> all = new ArrayList<>(sent);
    all.addAll(rdmap.user.events());
    all.add(HexFormat.of().formatHex(memory.octets()));
    all.add("STags " + engine.taggedBuffers().size());
    all.add("sent " + engine.sendCounters().octets + " in " + engine.sendCounters().segments);
    all.add("placed " + engine.receiveCounters().octetsPlaced);
    return all;
  }

  @Test
  void shouldGoOnInTheMiddleOfMessages() {
    RdmapSnapshotTest without = new RdmapSnapshotTest();
    without.beginMessages();
    without.endMessages();
    List<String> expected = without.outcome();
    assertThat(expected).contains("receive 10 done 33", "read 3 done 64", "bind 6 done 0");
    beginMessages();
    goOn();
    goOnIfWanted = this::goOn;
    endMessages();
    assertThat(outcome()).isEqualTo(expected);
  }

  /** What is written differs from what was kept: increase {@link Snapshot#FORMAT}. */
  @Test
  void shouldWriteAndReadTheFormatThatItWrote() throws IOException {
    beginMessages();
    byte[] snapshot = write();
    if (Boolean.getBoolean("rddp.snapshot.write")) {
      Files.write(KEPT, snapshot);
    }
    byte[] kept = Files.readAllBytes(KEPT);
    assertThat(snapshot).isEqualTo(kept);
    goOn(kept);
    endMessages();
    assertThat(rdmap.user.events()).contains("receive 10 done 33", "read 3 done 64");
  }

  @Test
  void shouldRefuseToWriteWhatIsInNoMemory() {
    stream.postReceive(request(1).memory(new GuardedMemory(8).address(), 8));
    assertThatThrownBy(this::write)
        .isInstanceOf(SnapshotException.class)
        .hasMessageContaining("address is in none of the memories");
  }

  @Test
  void shouldRefuseWhatIsDamaged() {
    beginMessages();
    peerSends(send(0x41, 1, 120, octets(10, 4)), send(0x41, 2, 0, octets(33, 5)));
    rdmap.tcp.run(() -> {});
    byte[] snapshot = write();
    int refused = 0;
    for (int at = DamagedSnapshot.BODY; at < snapshot.length; at++) {
      byte[] damaged = DamagedSnapshot.at(snapshot, at);
      DdpEngine next = newEngine();
      RdmapStream successor = new RdmapStream(next, rdmap.domain, SETTINGS, rdmap.user);
      try {
        SnapshotReader reader = new SnapshotReader(damaged);
        transfer(reader, next, successor, references(memory, successor, List.of()));
        reader.finish();
      } catch (SnapshotException wrong) {
        assertThat(wrong).hasMessageContaining("the snapshot is wrong at octet");
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(snapshot.length / 2);
  }
}
