package org.rddp.fuzz;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.DdpStream;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.ddp.receiving.HeldMemory;
import org.rddp.device.NativePacketPool;
import org.rddp.mpa.MpaSettings;
import org.rddp.mpa.MpaStartup;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.rdmap.RdmapStream;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.testing.InMemoryTcpStream;
import org.rddp.wire.Memory;

/**
 * A hostile peer that uses TCP and MPA correctly and sends anything above: every field of the
 * headers of DDP and RDMAP is right, nearly right or wrong.
 *
 * <p>An input is two octets of settings and a list of operations: the peer's segments, our
 * program's calls, and TCP's segmentation. After each operation the memory and the upcalls, and at
 * the end the answers, must be those of {@link RdmaModel}; another stream must not be affected.
 */
public final class RdmaFuzz {
  private static final int PACKETS = 2048;
  private static final int ROOM = 2304;
  private static final int START = 20;
  private static final int MEMORY = 8192;
  private static final int RECEIVES = 4608;
  private static final int RECEIVE_ROOM = 256;
  private static final int DEPTH = 4;
  private static final int RESULTS = 6144;
  private static final int NEIGHBOURS = 3;
  private static final int MOST_OPERATIONS = 400;
  private static final int LONGEST_STREAM = 60_000;
  private static final int MOST_HELD_BACK = 12;
  private static final int MOST_POSTS = 16;
  private static final int MOST_EARLY = 200;
  private static final int LONGEST_SEGMENT = 2048;
  private static final byte POISON = 0x5a;
  private static final int FOR_ONE_FPDU = 64;

  private static final NativePacketPool POOL = new NativePacketPool(PACKETS, ROOM);
  private static final long AREA = Memory.allocate(MEMORY);
  private static final MemorySegment HELD_MEMORY = Arena.global().allocate(1 << 18);

  private final FuzzInput input;
  private final DdpEngine engine;
  private final ProtectionDomain domain = new ProtectionDomain("ours");
  private final ProtectionDomain foreign = new ProtectionDomain("theirs");
  private final List<ModelRegion> names = new ArrayList<>();
  private final FuzzedRdmap program = new FuzzedRdmap();
  private final RdmapStream rdmap;
  private final InMemoryTcpStream stream;
  private final UnaffectedStream neighbour;
  private final RdmaModel model;
  private final HostileSegments peer;
  private final FpduStream fpdus;
  private final boolean initiator;

  /** Receives that are there from the start. */
  private final int prepared;

  /** ULPDUs sent and not received: each with the positions of its FPDU's begin and end. */
  private static final class Pending {
    private final byte[] ulpdu;
    private final int from;
    private final int to;

    private Pending(byte[] ulpdu, int from, int to) {
      this.ulpdu = ulpdu;
      this.from = from;
      this.to = to;
    }
  }

  private final List<Pending> heldBack = new ArrayList<>();
  private final List<Pending> untaken = new ArrayList<>();

  /** Whether payload may have been placed before its turn (RFC 5040 section 5.5, rule 3). */
  private boolean early;

  private int cut;
  private int posts;
  private int identifiers;

  private RdmaFuzz(FuzzInput input) {
    this.input = input;
    int choices = input.octet();
    int filler = input.octet();
    initiator = (choices & 1) != 0;
    prepared = choices >> 5 & DEPTH;
    boolean markers = (choices & 2) != 0;
    int held = (choices & 4) == 0 ? 0 : (choices & 8) == 0 ? 300 : 65_536;
    engine =
        new DdpEngine(
            new TaggedBuffers(32, new SplittableRandom(choices)), new HeldMemory(HELD_MEMORY));
    Memory.fill(AREA, MEMORY, POISON);
    MpaSettings mpa = MpaSettings.DEFAULTS.withMarkers(markers);
    RdmapSettings settings = new RdmapSettings(mpa, 64, DEPTH, 3, 2, held);
    rdmap = new RdmapStream(engine, domain, settings, program);
    neighbour = new UnaffectedStream(engine, domain, AREA, POOL);
    registerAll();
    stream = new InMemoryTcpStream(POOL, 1460, filler);
    stream.open(
        initiator
            ? MpaStartup.initiator(settings.mpa(), new byte[0], program, rdmap.ddp())
            : MpaStartup.responder(settings.mpa(), program, rdmap.ddp()));
    stream.setEmss((choices & 16) == 0 ? 1460 : 536);
    fpdus = new FpduStream(markers);
    model = new RdmaModel(new ModelMemory(memory(), names), DEPTH, 3, 2, held);
    peer = new HostileSegments(input, names, model);
  }

  /** Runs one input. */
  public static void fuzzerTestOneInput(byte[] octets) {
    new RdmaFuzz(new FuzzInput(octets)).run();
  }

  private void registerAll() {
    int all = ModelRegion.ALL;
    names.add(new ModelRegion(256, 512, 0, all, true));
    names.add(new ModelRegion(1024, 256, -512, ModelRegion.REMOTE_READ, true).exclusive());
    names.add(new ModelRegion(1536, 300, Long.MAX_VALUE - 127, ModelRegion.REMOTE_WRITE, true));
    names.add(new ModelRegion(UnaffectedStream.REGION, UnaffectedStream.LENGTH, 0, all, false));
    names.add(new ModelRegion(2048, 256, 0, all, false));
    names.add(new ModelRegion(3072, 512, 16, ModelRegion.LOCAL_WRITE, true).exclusive());
    int atomic = ModelRegion.REMOTE_ATOMIC | ModelRegion.REMOTE_READ;
    names.add(new ModelRegion(3844, 64, 0, atomic, true).exclusive());
    names.add(new ModelRegion(4096, 64, 0, all, true));
    for (int i = 0; i < names.size(); i++) {
      register(i);
    }
    engine.taggedBuffers().invalidate(names.getLast().stag);
    names.getLast().valid = false;
  }

  private void register(int index) {
    ModelRegion each = names.get(index);
    DdpStream only =
        index == NEIGHBOURS ? neighbour.ddp() : each.isExclusive() ? rdmap.ddp() : null;
    int stag =
        engine
            .taggedBuffers()
            .register(
                index == NEIGHBOURS + 1 ? foreign : domain,
                only,
                AREA + each.offset,
                each.length,
                each.base,
                each.rights);
    each.name(stag);
  }

  private static byte[] memory() {
    return Memory.bytes(AREA, MEMORY);
  }

  private void run() {
    begin();
    for (int i = 0; i < MOST_OPERATIONS && !input.exhausted(); i++) {
      if (fpdus.length() < LONGEST_STREAM) {
        operate(input.octet());
        compare();
      }
    }
    turn();
    compare();
    neighbour.exchange(engine, model.memory.octets, names.get(NEIGHBOURS).stag);
    compare();
    finish();
  }

  /** The startup frames, and a first FPDU, before which a Responder may not send. */
  private void begin() {
    byte[] frame = new byte[START];
    String key = initiator ? "MPA ID Rep Frame" : "MPA ID Req Frame";
    System.arraycopy(key.getBytes(StandardCharsets.US_ASCII), 0, frame, 0, key.length());
    frame[16] = 0x40;
    frame[17] = 1;
    stream.offer(frame, 0, 0, START);
    Frames.require(program.established(), "not established");
    if (initiator) {
      // Nobody else may be the first to send.
      posts++;
      program.posts(posts);
      rdmap.postWrite(new StreamRequest(posts).memory(AREA, 0).remote(7, 0));
      engine.send(1);
      model.heard.add("done " + posts + " 0");
      model.startedInAll++;
    }
    send(HostileSegments.tagged(0xc1, 0x40, 0, 0, new byte[0]), false);
    for (int i = 0; i < prepared; i++) {
      post(RECEIVE_ROOM - 56 * i);
    }
  }

  // ---- What is done ----

  private void operate(int operation) {
    boolean hold = operation >= 128;
    int choice = operation >> 4 & 7;
    switch (operation & 15) {
      case 0 -> send(peer.write(choice), hold);
      case 1 -> send(peer.sendMessage(3 + (choice & 3), (choice & 4) != 0), hold);
      case 2 -> send(peer.readRequest(), hold);
      case 3 -> send(peer.readResponse(choice), hold);
      case 4 -> send(peer.atomicRequest(), hold);
      case 5 -> send(peer.atomicResponse(), hold);
      case 6 -> send(peer.terminate(), hold);
      case 7 -> send(peer.immediate(choice), hold);
      case 8 -> send(peer.raw(input.octet()), hold);
      case 9 -> postReceive();
      case 10 -> postRead();
      case 11 -> postAtomic();
      case 12 -> revoke(choice);
      case 13 -> turn();
      case 14 -> cut = input.octet();
      default -> tiny(choice);
    }
  }

  private void tiny(int choice) {
    for (int count = input.octet(); count > 0; count--) {
      send(peer.tiny(choice), false);
    }
  }

  // ---- What our program does ----

  private void postReceive() {
    catchUp();
    post(input.octet() % (RECEIVE_ROOM + 1));
  }

  private void post(int octets) {
    posts++;
    int offset = RECEIVES + posts % DEPTH * RECEIVE_ROOM;
    long id = posts;
    program.posts(id);
    boolean dead = model.dead;
    // Held messages may end within the call.
    boolean expected = dead || model.receive(new ModelBuffer(id, offset, octets));
    boolean taken = rdmap.postReceive(new StreamRequest(id).memory(AREA + offset, octets));
    Frames.require(taken == expected, "a receive is taken, or is not");
    if (!taken) {
      program.takesBack(id);
    }
  }

  private void postRead() {
    catchUp();
    ModelRegion sink = names.get((input.octet() & 1) == 0 ? 0 : 5);
    int length = input.octet();
    long to = sink.base + input.octet();
    if (model.asked.size() == MOST_POSTS) {
      return;
    }
    posts++;
    program.posts(posts);
    boolean good = length == 0 || (sink.valid && sink.holds(to, length));
    rdmap.postRead(new StreamRequest(posts).local(sink.stag, to, length).remote(7, 9));
    if (good && !model.dead) {
      model.asked.add(new PendingRequest(posts, false, sink.stag, to, length));
    }
  }

  private void postAtomic() {
    catchUp();
    if (model.asked.size() == MOST_POSTS) {
      return;
    }
    posts++;
    program.posts(posts);
    int at = RESULTS + 8 * (posts % MOST_POSTS);
    rdmap.postFetchAdd(
        new StreamRequest(posts).memory(AREA + at, 8).remote(7, 8).operands(1, 0, 0, -1));
    if (!model.dead) {
      model.asked.add(new PendingRequest(posts, true, identifiers++, at, 8));
    }
  }

  /** Revokes an STag, or gives memory without one a new STag. */
  private void revoke(int choice) {
    catchUp();
    int index = choice == NEIGHBOURS ? 7 : choice;
    ModelRegion which = names.get(index);
    if (which.valid) {
      which.valid = false;
      Frames.require(engine.taggedBuffers().invalidate(which.stag), "an STag was gone");
    } else {
      register(index);
    }
  }

  private void turn() {
    catchUp();
    model.turn();
    engine.send(Integer.MAX_VALUE);
  }

  // ---- How it comes ----

  private void send(byte[] ulpdu, boolean hold) {
    if (stream.earlySegments() > 2 * MOST_EARLY) {
      catchUp();
    }
    int from = fpdus.length();
    fpdus.fpdu(ulpdu, ulpdu.length, 0, 0);
    Pending pending = new Pending(ulpdu, from, fpdus.length());
    untaken.add(pending);
    if (hold && heldBack.size() < MOST_HELD_BACK) {
      heldBack.add(pending);
    } else {
      early |= !heldBack.isEmpty();
      arrive(pending);
    }
    takeWhatHasItsTurn();
  }

  private void takeWhatHasItsTurn() {
    if (heldBack.isEmpty()) {
      untaken.forEach(pending -> model.take(pending.ulpdu));
      untaken.clear();
    }
  }

  /** Delivers everything held back, from the end to the front. */
  private void catchUp() {
    while (!heldBack.isEmpty()) {
      early |= heldBack.size() > 1;
      arrive(heldBack.removeLast());
    }
    takeWhatHasItsTurn();
    compare();
  }

  private void arrive(Pending pending) {
    byte[] octets = fpdus.octets();
    // TCP's receive buffer bounds how many wait behind a gap.
    boolean whole = cut == 0 || stream.earlySegments() > MOST_EARLY;
    int step = whole ? LONGEST_SEGMENT : cut;
    for (int at = pending.from; at < pending.to; at += step) {
      int length = Math.min(step, pending.to - at);
      Frames.require(stream.offer(octets, START, at, length), "a right segment is refused");
    }
    int most = stream.earlySegments() + FOR_ONE_FPDU;
    Frames.require(stream.packetsInUse() <= most, stream.packetsInUse() + " packets are kept");
  }

  // ---- What has come of it ----

  private void compare() {
    if (!heldBack.isEmpty()) {
      return;
    }
    String told = "heard " + program.heard() + ", not " + model.heard;
    Frames.require(program.heard().equals(model.heard), told);
    byte[] actual = memory();
    int differs = Arrays.mismatch(actual, model.memory.octets);
    while (differs >= 0) {
      boolean mayBe = early && model.mayHaveBeenPlaced(differs);
      Frames.require(mayBe, "octet " + differs + " of the memory is another");
      model.memory.octets[differs] = actual[differs];
      differs = Arrays.mismatch(actual, model.memory.octets);
    }
    early = false;
  }

  private void finish() {
    compareSent();
    Frames.require(model.dead == program.failed(), "failed, or not");
    if (!model.dead) {
      rdmap.abort();
    }
    stream.end(CloseReason.NORMAL);
    Frames.require(program.closed() && program.outstanding() == 0, "not everything has ended");
    neighbour.end();
    Frames.require(POOL.available() == PACKETS, "packets are missing");
  }

  private void compareSent() {
    FpduStream ours = new FpduStream(false);
    stream.endTurn();
    byte[] sent = stream.sent();
    for (int i = START; i < sent.length; i++) {
      ours.raw(sent[i]);
    }
    ours.read(true);
    Frames.require(ours.error() == null && ours.atBoundary(), "we send what is no FPDU");
    SentMessages messages = new SentMessages(ours.ulpdus().values());
    String answers = "answered " + messages.answers() + ", not " + model.answers.all();
    Frames.require(messages.answers().equals(model.answers.all()), answers);
    boolean same = Objects.equals(messages.terminate(), model.terminate);
    Frames.require(same, "Terminate " + messages.terminate() + ", not " + model.terminate);
    int requests = messages.requests().size();
    int least = model.startedInAll;
    Frames.require(
        requests == least || (model.dead && requests > least && requests <= least + 2),
        requests + " requests, not " + least);
  }
}
