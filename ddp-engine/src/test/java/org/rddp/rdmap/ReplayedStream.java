package org.rddp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.random.RandomGenerator;
import java.util.zip.CRC32;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.GuardedMemory;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.mpa.MpaSettings;
import org.rddp.tcp.testing.InMemoryTcpPair;

/**
 * Our RDMAP in the place of one of two siws that were captured: it hears what the other has sent,
 * has memory under the names that the other uses, and posts what the one in its place posted.
 */
final class ReplayedStream {
  private static final int LONGEST = 65536;
  private static final int DEPTH = 1024;
  private static final int READS = 128;
  private static final int STARTUP = 20;
  private static final int STAG_AT = 32;
  private static final int SOURCE_TO_AT = 40;

  /** A message, from all of its segments. */
  private record Message(CapturedSegment first, String payload) {
    int octets() {
      return payload.length() / 2;
    }
  }

  /** Memory under one STag. */
  private static final class Region {
    private long base;
    private long end;
    private GuardedMemory memory;
    private byte[] model;
  }

  private final List<CapturedSegment> theirs;
  private final List<Message> ours;
  private final Map<Integer, Region> regions = new LinkedHashMap<>();
  private final List<GuardedMemory> receives = new ArrayList<>();
  private final RecordingRdmap program = new RecordingRdmap();
  private final CapturedSender sender = new CapturedSender();
  private final Queue<Integer> names = new ArrayDeque<>();
  private final DdpEngine engine = new DdpEngine(new TaggedBuffers(64, new Names()));
  private final boolean initiator;
  private final List<byte[]> sent = new ArrayList<>();
  private RdmapStream stream;

  /** Memory that is sent from, as long as this lives. */
  private final List<GuardedMemory> kept = new ArrayList<>();

  private int messagesDone;

  /** The other end's reads that have come. */
  private int requested;

  /** Gives STags the names that the other end knows. */
  private final class Names implements RandomGenerator {
    @Override
    public long nextLong() {
      return nextInt();
    }

    @Override
    public int nextInt() {
      return names.remove();
    }
  }

  ReplayedStream(List<CapturedSegment> theirs, List<CapturedSegment> ours, boolean initiator) {
    this.theirs = theirs;
    this.ours = messages(ours);
    this.initiator = initiator;
    layOut();
  }

  private static List<Message> messages(List<CapturedSegment> segments) {
    List<Message> messages = new ArrayList<>();
    CapturedSegment first = null;
    StringBuilder payload = new StringBuilder();
    for (CapturedSegment segment : segments) {
      first = first == null ? segment : first;
      payload.append(segment.payload());
      if (segment.last()) {
        messages.add(new Message(first, payload.toString()));
        first = null;
        payload.setLength(0);
      }
    }
    assertThat(first).as("a message without an end").isNull();
    return messages;
  }

  /** Memory wherever the other end writes to, or reads from. */
  private void layOut() {
    for (CapturedSegment segment : theirs) {
      if (segment.tagged() && !segment.payload().isEmpty()) {
        reach(segment.stag(), segment.to(), segment.payload().length() / 2);
      }
    }
    List<Message> requests = requests(messages(theirs));
    requests.forEach(request -> reach(sourceStag(request), sourceTo(request), (int) size(request)));
    regions.forEach(this::allocate);
  }

  /** What our predecessor answers to the next of the other end's reads is there. */
  private void prepareAnswer() {
    List<Message> answers = ours.stream().filter(each -> opcode(each) == 2).toList();
    List<Message> requests = requests(messages(theirs));
    if (requested < answers.size()) {
      Message request = requests.get(requested);
      Region source = regions.get(sourceStag(request));
      if (source != null) {
        int at = (int) (sourceTo(request) - source.base);
        byte[] octets = HexFormat.of().parseHex(answers.get(requested).payload());
        source.memory.put(at, octets);
        System.arraycopy(octets, 0, source.model, at, octets.length);
      }
    }
  }

  private static List<Message> requests(List<Message> messages) {
    return messages.stream().filter(each -> opcode(each) == 1).toList();
  }

  private static int opcode(Message message) {
    return message.first().opcode();
  }

  private static ByteBuffer header(Message request) {
    return ByteBuffer.wrap(HexFormat.of().parseHex(request.payload()));
  }

  private static long size(Message request) {
    return Integer.toUnsignedLong(header(request).getInt(12));
  }

  private static int sourceStag(Message request) {
    return Integer.parseUnsignedInt(request.payload().substring(STAG_AT, SOURCE_TO_AT), 16);
  }

  private static long sourceTo(Message request) {
    return Long.parseUnsignedLong(request.payload().substring(SOURCE_TO_AT), 16);
  }

  private void reach(int stag, long to, int octets) {
    if (octets == 0) {
      return;
    }
    Region region = regions.computeIfAbsent(stag, name -> new Region());
    boolean fresh = region.end == region.base;
    region.base = fresh ? to : Math.min(region.base, to);
    region.end = fresh ? to + octets : Math.max(region.end, to + octets);
  }

  private void allocate(int stag, Region region) {
    region.memory = new GuardedMemory((int) (region.end - region.base));
    region.model = region.memory.octets();
    names.add(stag);
  }

  /**
   * Lets everything come that was captured.
   *
   * @param captured the other end's TCP segments
   * @param expected what Wireshark's decoder sees in them, a line for each segment
   */
  void replay(List<byte[]> captured, List<String> expected, boolean peerToPeer) {
    ProtectionDomain domain = new ProtectionDomain("replay");
    MpaSettings mpa = MpaSettings.DEFAULTS.withRevision(2).withPeerToPeer(peerToPeer);
    RdmapSettings settings = new RdmapSettings(mpa, DEPTH, DEPTH, READS, READS);
    stream =
        initiator
            ? program.initiator(engine, domain, settings, new byte[0])
            : program.responder(engine, domain, settings);
    regions.forEach((stag, region) ->
        engine
            .taggedBuffers()
            .register(
                domain,
                null,
                region.memory.address(),
                region.memory.length(),
                region.base,
                AccessRights.ALL));
    InMemoryTcpPair tcp =
        new InMemoryTcpPair(program.startup, new TappedHandler(sender, sent), LONGEST);
    postReceives();
    post(peerToPeer);
    int placed = 0;
    boolean accepted = initiator;
    for (byte[] segment : captured) {
      prepareAnswer();
      sender.send(segment);
      tcp.run(() -> engine.send(DEPTH));
      if (!accepted) {
        accepted = true;
        program.startup.accept(new byte[0]);
        tcp.run(() -> engine.send(DEPTH));
      }
      int now = (int) engine.receiveCounters().segmentsPlaced;
      expected.subList(placed, now).forEach(this::assertPlaced);
      placed = now;
    }
    assertThat(placed).as("segments that were accepted").isEqualTo(expected.size());
    assertHeard(expected);
    regions.values().forEach(region -> region.memory.assertHolds(region.model));
    assertSent();
  }

  private void postReceives() {
    for (Message message : messages(theirs)) {
      if (opcode(message) >= 3) {
        GuardedMemory memory = new GuardedMemory(Math.max(1, message.octets()));
        stream.postReceive(
            new StreamRequest(receives.size()).memory(memory.address(), message.octets()));
        receives.add(memory);
      }
    }
  }

  /** Everything that our predecessor posted; an RTR goes out by itself. */
  private void post(boolean peerToPeer) {
    List<Message> posted = peerToPeer && initiator ? ours.subList(1, ours.size()) : ours;
    for (Message message : posted) {
      CapturedSegment first = message.first();
      GuardedMemory memory = new GuardedMemory(Math.max(1, message.octets()));
      memory.put(0, HexFormat.of().parseHex(message.payload()));
      switch (first.opcode()) {
        case 0 ->
            stream.postWrite(
                new StreamRequest(0)
                    .memory(memory.address(), message.octets())
                    .remote(first.stag(), first.to()));
        case 1 -> {
          ByteBuffer request = header(message);
          stream.postRead(
              new StreamRequest(1)
                  .local(request.getInt(0), request.getLong(4), size(message))
                  .remote(sourceStag(message), sourceTo(message)));
        }
        case 2 -> {}
        default -> stream.postSend(new StreamRequest(2).memory(memory.address(), message.octets()));
      }
      kept.add(memory);
    }
  }

  /** The octets of a segment are where its header says, and are those that Wireshark sees. */
  private void assertPlaced(String line) {
    String[] fields = line.split(" ", -1);
    boolean tagged = fields.length == 7;
    int octets = Integer.parseInt(fields[fields.length - 2]);
    String crc = fields[fields.length - 1];
    int opcode = Integer.parseInt(fields[1]);
    if (opcode == 0 || opcode == 2) {
      assertThat(tagged).isTrue();
      if (octets > 0) {
        Region region = regions.get(Integer.parseUnsignedInt(fields[3], 16));
        int at = (int) (Long.parseUnsignedLong(fields[4], 16) - region.base);
        System.arraycopy(region.memory.octets(), at, region.model, at, octets);
        assertCrc(line, region.model, at, octets, crc);
      }
    } else if (opcode == 1) {
      requested++;
    } else {
      GuardedMemory receive = receives.get(Integer.parseInt(fields[4]) - 1);
      assertCrc(line, receive.octets(), Integer.parseInt(fields[5]), octets, crc);
    }
  }

  private static void assertCrc(String line, byte[] memory, int at, int octets, String expected) {
    if (!expected.equals("-")) {
      CRC32 crc = new CRC32();
      crc.update(memory, at, octets);
      assertThat("%08x".formatted(crc.getValue())).as(line).isEqualTo(expected);
    }
  }

  /** Each Send has ended a receive with its length, and each answer a read of ours. */
  private void assertHeard(List<String> expected) {
    List<String> heard = program.events();
    assertThat(heard).noneMatch(event -> event.startsWith("error"));
    long octets = 0;
    List<String> wanted = new ArrayList<>();
    for (String line : expected) {
      String[] fields = line.split(" ", -1);
      if (Integer.parseInt(fields[1]) >= 3) {
        octets += Long.parseLong(fields[6]);
        if (fields[2].equals("last")) {
          wanted.add("receive %d done %d".formatted(wanted.size(), octets));
          octets = 0;
        }
      }
    }
    assertThat(heard.stream().filter(event -> event.startsWith("receive")).toList())
        .isEqualTo(wanted);
    long reads = ours.stream().filter(message -> opcode(message) == 1).count();
    assertThat(heard.stream().filter(event -> event.startsWith("read")).count())
        .isEqualTo(Math.min(reads, answersHere()));
    messagesDone = wanted.size() + (int) reads;
  }

  private long answersHere() {
    return messages(theirs).stream().filter(message -> opcode(message) == 2).count();
  }

  /** It has sent the same messages as the captured end that it replaces. */
  private void assertSent() {
    ByteArrayOutputStream stream = new ByteArrayOutputStream();
    sent.forEach(stream::writeBytes);
    ByteBuffer octets = ByteBuffer.wrap(stream.toByteArray());
    octets.position(STARTUP + octets.getShort(STARTUP - Short.BYTES));
    List<CapturedSegment> segments = new ArrayList<>();
    while (octets.hasRemaining()) {
      int length = octets.getShort() & 0xffff;
      byte[] ulpdu = new byte[length];
      octets.get(ulpdu);
      octets.position(octets.position() + (-(length + 2) & 3) + Integer.BYTES);
      segments.add(CapturedSegment.decode(ulpdu));
    }
    List<Message> messages = messages(segments);
    assertThat(words(messages, true)).isEqualTo(words(ours, true));
    assertThat(words(messages, false)).isEqualTo(words(ours, false));
  }

  /** Read Responses may overtake posted messages, so each kind is compared in its own order. */
  private static List<String> words(List<Message> messages, boolean answers) {
    return messages.stream()
        .filter(message -> (opcode(message) == 2) == answers)
        .map(ReplayedStream::words)
        .toList();
  }

  private static String words(Message message) {
    CapturedSegment first = message.first();
    boolean named = !first.tagged() || message.octets() > 0;
    return "%d %08x %016x %d %d %s"
        .formatted(
            first.opcode(),
            named ? first.stag() : 0,
            named ? first.to() : 0,
            first.qn(),
            first.msn(),
            message.payload());
  }

  /** Messages that have ended here. */
  int messagesDone() {
    return messagesDone;
  }
}
