package org.rddp.daemon.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.group.StackMember;
import org.rddp.ipc.linux.Errno;
import org.rddp.ipc.linux.PairedSocket;
import org.rddp.ipc.linux.ThreadScheduling;
import org.rddp.ipc.ring.Doorbells;
import org.rddp.ipc.ring.StreamHeader;
import org.rddp.ipc.ring.StreamMemory;
import org.rddp.tcp.TcpStack;
import org.rddp.tcp.testing.StreamHandlerAdapter;

/** Octet streams with peers and programs that keep to the rules, and others. */
class OctetStreamTest {
  private static final int END = 1 << 31;

  private final OctetStreamFixture fixture = new OctetStreamFixture();
  private OctetStreamFixture.Peer peer;
  private OctetStreamFixture.Program program;

  private void establish() throws Exception {
    peer = fixture.peer();
    fixture.run();
    program = fixture.accept();
    fixture.run();
    assertThat(peer.events).startsWith("established");
    assertThat(program.header.state()).isEqualTo(StreamHeader.ESTABLISHED);
  }

  private void assertEnded(int errno) {
    assertThat(program.header.state()).isEqualTo(StreamHeader.ENDED);
    assertThat(program.header.error()).isEqualTo(errno);
  }

  @Test
  void shouldTakeTheFirstOctetsBeforeTheProgramAccepts() throws Exception {
    peer = fixture.peer();
    fixture.run();
    assertThat(peer.events).containsExactly("established");
    peer.send(3, 0);
    peer.send(2, 0);
    fixture.run();
    program = fixture.accept();
    fixture.run();
    assertThat(program.read()).isEqualTo("xxxxx");
    assertThat(peer.events).containsExactly("established", "/0");
  }

  @Test
  void shouldSayWhichProcessorTheEngineRunsOn() throws Exception {
    assertThat(fixture.doorbells.processor()).isEqualTo(-1);
    establish();
    assertThat(ThreadScheduling.allowedProcessors()).contains(fixture.doorbells.processor());
  }

  /** The ports of a group lead to one engine of the peer; any of them listens. */
  @Test
  void shouldConnectFromAnotherGroupWhenOneHasNoPortLeft() throws Exception {
    StreamParts parts = fixture.parts();
    int group = StackMember.group((int) parts.number());
    TcpStack tcp = fixture.engine.tcp();
    for (int i = 0; i < 512; i++) {
      tcp.connectShared(
          OctetStreamFixture.THEIRS,
          OctetStreamFixture.SOCKETS_PORT,
          group,
          new StreamHandlerAdapter() {});
    }
    OctetStream stream =
        fixture.engine.streams().connect(parts, OctetStreamFixture.THEIRS, 80, 0, 1_000_000);
    assertThat(StackMember.group(stream.streamEnds().localPort())).isNotEqualTo(group);
  }

  /** A bit may be left of the stream that had the doorbell before: it begins a look too early. */
  private void offerAndLookTooEarly() {
    peer = fixture.peer();
    fixture.run();
    fixture.ring(fixture.offered.peek());
    fixture.ownTurn();
  }

  /** As a program can that has mapped the memory with a former stream. */
  @Test
  void shouldNotBelieveThatAStreamIsAcceptedBeforeItIsOffered() throws Exception {
    OctetStream stream =
        OctetStream.incoming(
            fixture.engine,
            fixture.engine.streams().keeper(),
            fixture.parts(),
            fixture.listener,
            new ConnectionEnds(OctetStreamFixture.OURS, 80, OctetStreamFixture.THEIRS, 1),
            null,
            1);
    program = fixture.new Program(stream);
    fixture.run();
    assertThat(stream.isMapped()).isFalse();
    assertThat(stream.listener()).isSameAs(fixture.listener);
  }

  @Test
  void shouldTakeADoorbellThatRingsDuringALookThatCameTooEarly() throws Exception {
    offerAndLookTooEarly();
    program = fixture.accept();
    fixture.run();
    assertThat(program.header.state()).isEqualTo(StreamHeader.ESTABLISHED);
    program.write("a");
    fixture.run();
    assertThat(peer.events).containsExactly("established", "/0", "a/0");
  }

  @Test
  void shouldLookAgainForABridgeAfterALookThatCameTooEarly() throws Exception {
    offerAndLookTooEarly();
    OctetStream stream = fixture.offered.peek();
    int ring = OctetStreamFixture.LARGEST_RING;
    boolean[] known = new boolean[1];
    try (StreamMemory memory =
        StreamMemory.map(stream.parts().memory().descriptor().duplicate(), ring, ring)) {
      memory.header().addProgramFlags(StreamHeader.MAPPED);
      stream.whenChecked(() -> known[0] = stream.isMapped());
      fixture.run();
    }
    assertThat(known[0]).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {63, 64, 255, 256, 4096, Doorbells.STREAMS - 1})
  void shouldFindTheStreamOfEachDoorbell(int index) throws Exception {
    fixture.nextIndex(index);
    establish();
    program.write("a");
    fixture.run();
    assertThat(peer.events).containsExactly("established", "/0", "a/0");
  }

  @Test
  void shouldSayWhatTheProgramHasReadWithTheNextOctetsOrAQuarter() throws Exception {
    establish();
    peer.send(10, 0);
    fixture.run();
    assertThat(program.read()).hasSize(10);
    fixture.run();
    program.write("a");
    fixture.run();
    assertThat(peer.events).containsExactly("established", "/0", "a/10");
    peer.send(OctetStreamFixture.RING / 4, 1);
    fixture.run();
    assertThat(program.read()).hasSize(OctetStreamFixture.RING / 4);
    fixture.run();
    assertThat(peer.events).endsWith("/2058");
  }

  @Test
  void shouldTellAPeerWithoutRoomOfAnyRoom() throws Exception {
    establish();
    peer.send(10, 0);
    fixture.run();
    assertThat(program.read()).hasSize(10);
    fixture.run();
    assertThat(peer.events).endsWith("/0");
    peer.send(OctetStreamFixture.RING - 10, 0);
    fixture.run();
    assertThat(peer.events).endsWith("/10");
  }

  @Test
  void shouldNotSendMoreThanThePeerTakes() throws Exception {
    establish();
    program.write("z".repeat(OctetStreamFixture.RING));
    fixture.run();
    assertThat(peer.consumed()).isEqualTo(2048);
    peer.send(0, 1000);
    fixture.run();
    assertThat(peer.consumed()).isEqualTo(3048);
    assertThat(program.header.taken()).isEqualTo(3048);
  }

  /** Nothing is under way that TCP would miss. */
  @Test
  void shouldFindThatAPeerWithoutRoomIsGone() throws Exception {
    establish();
    program.write("z".repeat(OctetStreamFixture.RING));
    fixture.run();
    for (int i = 0; i < 40 && program.header.state() == StreamHeader.ESTABLISHED; i++) {
      fixture.pass(TimeUnit.SECONDS.toNanos(75));
      fixture.ownTurn();
    }
    assertEnded(Errno.ETIMEDOUT);
  }

  /** The program writes octets, and the peer takes all of them. */
  private void passOctets(int octets) {
    program.write("z".repeat(octets));
    long end = program.header.written();
    while (program.header.taken() < end) {
      long before = program.header.taken();
      fixture.run();
      peer.send(0, peer.consumed());
      fixture.run();
      assertThat(program.header.taken()).isGreaterThan(before);
    }
  }

  @Test
  void shouldLengthenTheSendRingOnceItHasOftenBeenFull() throws Exception {
    establish();
    for (int i = 0; i < 8; i++) {
      assertThat(program.header.sendAllowed()).isEqualTo(OctetStreamFixture.RING);
      passOctets(OctetStreamFixture.RING);
    }
    assertThat(program.header.sendAllowed()).isEqualTo(OctetStreamFixture.LARGEST_RING);
    passOctets(3);
    passOctets(OctetStreamFixture.LARGEST_RING);
    assertThat(program.header.state()).isEqualTo(StreamHeader.ESTABLISHED);
  }

  @Test
  void shouldResetAProgramThatLengthensItsRingByItself() throws Exception {
    establish();
    program.header.sendRing(OctetStreamFixture.LARGEST_RING);
    program.header.write(0, 1);
    program.ring();
    fixture.run();
    assertEnded(Errno.ECONNRESET);
  }

  @Test
  void shouldLengthenTheReceiveRingOnceItHasOftenBeenFull() throws Exception {
    establish();
    for (int i = 0; i < 8; i++) {
      assertThat(program.header.receiveRing()).isEqualTo(OctetStreamFixture.RING);
      sendFullRing(OctetStreamFixture.RING);
    }
    sendFullRing(OctetStreamFixture.RING);
    assertThat(program.header.receiveRing()).isEqualTo(OctetStreamFixture.LARGEST_RING);
    assertThat(peer.events).endsWith("/" + 10 * OctetStreamFixture.RING);
    sendFullRing(OctetStreamFixture.LARGEST_RING);
    assertThat(program.header.state()).isEqualTo(StreamHeader.ESTABLISHED);
  }

  private void sendFullRing(int octets) {
    peer.send(octets, 0);
    fixture.run();
    assertThat(program.read()).isEqualTo("x".repeat(octets));
    fixture.run();
  }

  @Test
  void shouldSendTheRestAndTheEndOfWhatIsClosed() throws Exception {
    establish();
    program.write("last words");
    program.close();
    fixture.run();
    assertThat(peer.events)
        .containsExactly("established", "/0", "last words/0", "/0/end", "peer closed");
    peer.stream.close();
    fixture.run();
    assertThat(peer.events).endsWith("closed NORMAL");
    assertThat(fixture.released).hasSize(1);
    assertThat(fixture.engine.streams().count()).isZero();
  }

  /** As programs in Java do; the daemon's end of the socket tells of both. */
  @Test
  void shouldSendTheRestOfWhatIsShutDownAndThenClosed() throws Exception {
    establish();
    program.write("last words");
    program.socket.shutdown();
    fixture.ownTurn();
    program.close();
    fixture.run();
    assertThat(peer.events)
        .containsExactly("established", "/0", "last words/0", "/0/end", "peer closed");
  }

  /**
   * As TCP does: the peer reads the last words, and gets no Terminate, which would take two
   * seconds.
   */
  @Test
  void shouldResetAtOnceWhenOctetsComeForNobody() throws Exception {
    establish();
    program.write("last words");
    program.close();
    peer.send(5, 0);
    fixture.run();
    assertThat(peer.events).contains("last words/0").endsWith("closed RESET");
    assertThat(fixture.released).hasSize(1);
  }

  /**
   * The octets of a stream whose peer takes none pass by a bridge, which its holders leave full.
   */
  private void leaveFullBridge() throws Exception {
    establish();
    PairedSocket[] bridge = PairedSocket.ofOctets("test", new byte[0]);
    assertThat(program.stream.bridge(program.stream.parts().cookie(), bridge[0], null))
        .isEqualTo(OctetStream.Bridging.DONE);
    program.close();
    try (Arena arena = Arena.ofConfined()) {
      long octets = arena.allocate(OctetStreamFixture.RING).address();
      while (bridge[1].send(octets, OctetStreamFixture.RING) > 0) {
        fixture.run();
      }
    }
    bridge[1].close();
    fixture.run();
    assertThat(peer.events).noneMatch(event -> event.startsWith("closed"));
  }

  @Test
  void shouldResetWhenOctetsComeForNobodyBehindAFullBridge() throws Exception {
    leaveFullBridge();
    peer.send(5, 0);
    fixture.run();
    assertThat(peer.events).endsWith("closed RESET");
    assertThat(fixture.released).hasSize(1);
  }

  @Test
  void shouldGiveUpAPeerThatLeavesABridgeFull() throws Exception {
    leaveFullBridge();
    fixture.pass(TimeUnit.SECONDS.toNanos(61));
    fixture.run();
    assertThat(peer.events).endsWith("closed RESET");
    assertThat(fixture.released).hasSize(1);
  }

  @Test
  void shouldSendAllOfAFullBridgeThatIsClosed() throws Exception {
    leaveFullBridge();
    while (!peer.events.contains("peer closed")) {
      int before = peer.consumed();
      peer.send(0, peer.consumed());
      fixture.run();
      assertThat(peer.consumed() > before || peer.events.contains("peer closed")).isTrue();
    }
    peer.stream.close();
    fixture.run();
    assertThat(peer.events).endsWith("closed NORMAL");
    assertThat(fixture.released).hasSize(1);
  }

  /** Otherwise it would wait for room until the stream is given up. */
  @Test
  void shouldTellAPeerWithoutRoomOfTheRoomAtAClose() throws Exception {
    establish();
    program.write("z".repeat(OctetStreamFixture.RING));
    peer.send(OctetStreamFixture.RING, 0);
    fixture.run();
    // It is read in parts, none of which is worth a doorbell.
    program.header.consume(0, OctetStreamFixture.RING);
    program.close();
    fixture.run();
    assertThat(peer.events).endsWith("/" + OctetStreamFixture.RING);
    peer.send(5, 0);
    fixture.run();
    assertThat(peer.events).endsWith("closed RESET");
  }

  @Test
  void shouldTakeTheEndOfAPeerThatIsClosedLater() throws Exception {
    establish();
    program.close();
    fixture.run();
    assertThat(peer.events).endsWith("/0/end", "peer closed");
    peer.sendEnd();
    peer.stream.close();
    fixture.run();
    assertThat(peer.events).endsWith("closed NORMAL");
    assertThat(fixture.released).hasSize(1);
  }

  @Test
  void shouldKeepTheOtherDirectionAfterAHalfClose() throws Exception {
    establish();
    program.header.addProgramFlags(StreamHeader.END_SENDING);
    program.ring();
    fixture.run();
    assertThat(peer.events).endsWith("/0/end");
    peer.send(5, 0);
    fixture.run();
    assertThat(program.read()).isEqualTo("xxxxx");
    peer.sendEnd();
    fixture.run();
    assertThat(program.header.daemonFlags() & StreamHeader.PEER_ENDED).isNotZero();
    assertThat(peer.events).endsWith("peer closed");
    peer.stream.close();
    fixture.run();
    assertEnded(0);
    program.close();
    fixture.run();
    assertThat(fixture.released).hasSize(1);
  }

  /** What a peer may not do. */
  enum Breach {
    MORE_THAN_THE_WINDOW,
    CREDIT_THAT_GOES_BACK,
    OCTETS_AFTER_THE_END,
    NO_IMMEDIATE_DATA;

    void commit(OctetStreamFixture.Peer peer) {
      switch (this) {
        case MORE_THAN_THE_WINDOW -> {
          for (int i = 0; i < 5; i++) {
            peer.send(2000, 0);
          }
        }
        case CREDIT_THAT_GOES_BACK -> peer.send(1, END - 1);
        case OCTETS_AFTER_THE_END -> {
          peer.sendEnd();
          peer.send(1, 0);
        }
        case NO_IMMEDIATE_DATA -> peer.sendPlain(1);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldEndWhatAPeerBreaks(Breach breach) throws Exception {
    establish();
    breach.commit(peer);
    fixture.run();
    assertEnded(Errno.EPROTO);
    assertThat(peer.events.toString()).containsAnyOf("error", "closed RESET");
    fixture.pass(TimeUnit.SECONDS.toNanos(3));
    fixture.run();
    assertThat(fixture.released).hasSize(1);
  }

  @Test
  void shouldBoundWhatAPeerSendsBeforeTheProgramAccepts() throws Exception {
    peer = fixture.peer();
    fixture.run();
    for (int i = 0; i < 10; i++) {
      peer.send(2000, 0);
    }
    fixture.run();
    program = fixture.accept();
    fixture.run();
    assertEnded(Errno.EPROTO);
  }

  @Test
  void shouldResetWhatThePeerClosesWithoutAnEnd() throws Exception {
    establish();
    peer.stream.close();
    fixture.run();
    assertEnded(Errno.ECONNRESET);
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 1, 8193, Long.MAX_VALUE, Long.MIN_VALUE + 1})
  void shouldResetWhatAProgramClaimsToHaveReadButHasNot(long position) throws Exception {
    establish();
    program.header.consume(0, position);
    program.ring();
    fixture.run();
    assertEnded(Errno.ECONNRESET);
    assertThat(peer.events).endsWith("closed RESET");
    assertThat(fixture.reports).anyMatch(line -> line.contains("cannot be"));
  }

  @Test
  void shouldResetWhatIsClosedUnreadOrWithALingerOfZero() throws Exception {
    establish();
    peer.send(1, 0);
    fixture.run();
    program.close();
    fixture.run();
    assertThat(peer.events).endsWith("closed RESET");
    establish();
    program.header.addProgramFlags(StreamHeader.ABORT_AT_CLOSE);
    program.close();
    fixture.run();
    assertThat(peer.events).endsWith("closed RESET");
    assertThat(fixture.released).hasSize(2);
  }

  @Test
  void shouldOfferToAnotherWhatNobodyHasAccepted() {
    peer = fixture.peer();
    fixture.run();
    fixture.offered.remove().parts().programSocket().close();
    fixture.run();
    assertThat(fixture.offeredAgain).hasSize(1);
    fixture.offeredAgain.getFirst().dismiss();
    fixture.run();
    assertThat(peer.events).endsWith("closed RESET");
    assertThat(fixture.released).hasSize(1);
    assertThat(fixture.listener.waiting()).isZero();
  }

  @Test
  void shouldRejectOtherPortsAndVersions() {
    byte[] other = new StreamGreeting(81, 0, 2048).encode();
    OctetStreamFixture.Peer nobody = fixture.new Peer(other);
    byte[] version = new StreamGreeting(OctetStreamFixture.PORT, 0, 2048).encode();
    version[8] = 2;
    OctetStreamFixture.Peer later = fixture.new Peer(version);
    OctetStreamFixture.Peer stranger = fixture.new Peer(new byte[20]);
    fixture.run();
    assertThat(nobody.events).startsWith("rejected 1");
    assertThat(later.events).startsWith("rejected 2");
    assertThat(stranger.events).startsWith("error", "closed RESET");
    assertThat(fixture.offered).isEmpty();
  }

  @Test
  void shouldGiveNoAnswerWhileTheBacklogIsFull() throws Exception {
    OctetStreamFixture.Peer[] peers = new OctetStreamFixture.Peer[6];
    for (int i = 0; i < peers.length; i++) {
      peers[i] = fixture.peer();
      fixture.run();
    }
    // As with Linux, one more than the backlog of four.
    assertThat(peers[4].events).containsExactly("established");
    assertThat(peers[5].events).containsExactly("error", "closed RESET");
    fixture.accept();
    fixture.run();
    peer = fixture.peer();
    fixture.run();
    assertThat(peer.events).containsExactly("established");
  }

  @Test
  void shouldHandleRandomDoorbellsAndFillers() throws Exception {
    establish();
    for (int i = 0; i < 200; i++) {
      program.socket.send(program.memory.sending().address(0), 1200);
      program.ring();
      fixture.turn();
    }
    program.header.armSending();
    program.ring();
    fixture.run();
    assertThat(program.socket.send(program.memory.sending().address(0), 1200)).isEqualTo(1200);
    program.write("on");
    fixture.run();
    assertThat(peer.events).endsWith("on/0");
  }

  @Test
  void shouldTellTheWaiterOfOctetsRoomAndTheEnd() throws Exception {
    establish();
    Doorbells bells = fixture.bells();
    List<String> signals = new ArrayList<>();
    fixture.section.add(7, new StreamWaiter(bells, () -> signals.add("woken")));
    assertThat(program.header.nameWaiter(7, 4711)).isTrue();
    assertThat(program.header.nameWaiter(8, 1)).isFalse();

    peer.send(3, 0);
    fixture.run();
    assertThat(taken(bells)).containsExactly(4711);
    assertThat(signals).isEmpty();

    bells.announceSleep();
    peer.send(3, 0);
    fixture.run();
    peer.send(3, 0);
    fixture.run();
    assertThat(signals).containsExactly("woken");
    assertThat(taken(bells)).containsExactly(4711);
    assertThat(program.read()).hasSize(9);

    program.write("a");
    fixture.run();
    assertThat(taken(bells)).isEmpty();
    program.header.askForRoom();
    program.ring();
    fixture.run();
    assertThat(taken(bells)).containsExactly(4711);
    program.ring();
    fixture.run();
    assertThat(taken(bells)).isEmpty();

    fixture.section.removeWaiter(7);
    peer.send(3, 0);
    fixture.run();
    assertThat(taken(bells)).isEmpty();
    fixture.section.add(7, new StreamWaiter(bells, () -> signals.add("woken")));
    peer.sendEnd();
    fixture.run();
    assertThat(taken(bells)).containsExactly(4711);
    program.header.forgetWaiter();
    assertThat(program.header.nameWaiter(8, 1)).isTrue();
  }

  /** The program is as quick as can be: it does all that while the engine tells it. */
  @Test
  void shouldTellTheWaiterOfRoomThatIsAskedForWhileEverybodyIsTold() throws Exception {
    establish();
    Doorbells bells = fixture.bells();
    program.header.nameWaiter(7, 4711);
    fixture.section.add(
        7,
        new StreamWaiter(
            bells,
            () -> {
              assertThat(taken(bells)).containsExactly(4711);
              program.header.askForRoom();
            }));
    bells.announceSleep();

    program.header.write(program.header.written(), 1L << 40);
    program.ring();
    fixture.run();

    assertThat(program.header.state()).isEqualTo(StreamHeader.ENDED);
    assertThat(taken(bells)).containsExactly(4711);
  }

  /** A word of a program names any waiter and any bit. */
  @ParameterizedTest
  @ValueSource(ints = {0x0001_0000, 0x0007_ffff, 0x0100_0000, 0xffff_ffff})
  void shouldTakeAnyWordForAWaiter(int word) throws Exception {
    establish();
    Doorbells bells = fixture.bells();
    fixture.section.add(7, new StreamWaiter(bells, () -> {}));
    assertThat(program.header.nameWaiter(StreamHeader.waiter(word), word & 0xffff)).isTrue();
    peer.send(3, 0);
    fixture.run();
    assertThat(taken(bells).size()).isEqualTo(StreamHeader.waiter(word) == 7 ? 1 : 0);
    assertThat(program.read()).hasSize(3);
  }

  private static List<Integer> taken(Doorbells bells) {
    List<Integer> taken = new ArrayList<>();
    for (long groups = bells.takeGroups(); groups != 0; groups &= groups - 1) {
      int first = Long.numberOfTrailingZeros(groups) * Doorbells.GROUP;
      for (int word = first; word < first + Doorbells.GROUP; word++) {
        for (long bits = bells.takeBits(word); bits != 0; bits &= bits - 1) {
          taken.add(word * Long.SIZE + Long.numberOfTrailingZeros(bits));
        }
      }
    }
    return taken;
  }

  @Test
  void shouldNotAllocate() throws Exception {
    establish();
    fixture.section.add(1, new StreamWaiter(fixture.bells(), () -> {}));
    program.header.nameWaiter(1, 1);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long thread = Thread.currentThread().threadId();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 30; round++) {
      program.header.armReceiving();
      program.write("ping");
      peer.send(4, peer.consumed());
      peer.events.clear();
      long before = threads.getThreadAllocatedBytes(thread);
      for (int i = 0; i < 20; i++) {
        fixture.ownTurn();
      }
      least = Math.min(least, threads.getThreadAllocatedBytes(thread) - before);
      fixture.run();
      program.read();
    }
    assertThat(least).isZero();
  }
}
