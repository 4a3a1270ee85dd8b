package org.rddp.daemon;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.ipc.control.ProgramMessage.StreamListen.REUSE_PORT;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.rddp.client.Rddp;
import org.rddp.client.streams.ProgramListener;
import org.rddp.client.streams.ProgramStream;
import org.rddp.client.streams.StreamSession;
import org.rddp.client.streams.StreamWaiter;
import org.rddp.client.types.ListSubject;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.Errno;
import org.rddp.ipc.linux.PairedSocket;
import org.rddp.ipc.linux.PollSet;
import org.rddp.ipc.ring.StreamHeader;

/** Octet streams of programs, from connect to close. */
class OctetStreamsTest extends OctetStreams {
  /** More than there is room for at the listener's socket, once that is limited. */
  private static final int CLIENTS = 40;

  @Test
  void shouldPassOctetsBothWaysAndClose() throws Exception {
    establish();
    client.write("hello".getBytes(US_ASCII));
    assertThat(read(server, 5)).isEqualTo("hello".getBytes(US_ASCII));
    server.write("world!".getBytes(US_ASCII));
    assertThat(read(client, 6)).isEqualTo("world!".getBytes(US_ASCII));
    client.close();
    assertThat(server.read(new byte[1], 0, 1)).isEqualTo(-1);
    server.close();
  }

  @Test
  void shouldMakeStreamsBesideADaemonWithTheSameProcessId() throws Exception {
    establish();
    try (TestDaemon other = new TestDaemon();
        StreamSession session = StreamSession.open(other.socket(), "test");
        ProgramListener listener = session.listen(new InetSocketAddress("0.0.0.0", PORT), 8, 0);
        ProgramStream stream =
            session.connect(
                new InetSocketAddress(TestDaemon.ADDRESS_TWO, PORT),
                address(TestDaemon.ADDRESS_ONE),
                0,
                TIMEOUT)) {
      stream.awaitConnected();
      listener.accept(TIMEOUT).close();
    }
  }

  @Test
  void shouldPassWhatWasWrittenBeforeAReset() throws Exception {
    byte[] last = octets(40_000);
    for (int i = 0; i < 20; i++) {
      establish();
      client.write("a question that nobody reads".getBytes(US_ASCII));
      while (server.header().received() == 0) {
        Thread.onSpinWait();
      }
      server.write(last);
      server.close();
      assertThat(read(client, last.length)).isEqualTo(last);
      ProgramStream reader = client;
      assertThat(errno(() -> reader.read(new byte[1], 0, 1))).isEqualTo(Errno.ECONNRESET);
      client.close();
    }
  }

  /**
   * Until the ring of the other end is full, and then the writer's: with these octets in turn. A
   * reader need not have told the daemon what it has read of the last quarter.
   */
  private static void fill(ProgramStream writer, ProgramStream reader, byte[] octets)
      throws IOException {
    int written;
    do {
      int at = (int) (writer.header().written() % octets.length);
      written = writer.tryWrite(octets, at, octets.length - at);
      Thread.onSpinWait();
    } while (written > 0 || reader.header().received() - reader.header().consumed() < 3 * RING / 4);
  }

  @Test
  void shouldResetWhatNeitherEndReads() throws Exception {
    establish();
    fill(client, server, octets(50_000));
    fill(server, client, octets(50_000));
    server.close();
    while (client.header().state() != StreamHeader.ENDED) {
      Thread.onSpinWait();
    }
    assertThat(client.header().error()).isEqualTo(Errno.ECONNRESET);
    client.close();
  }

  @Test
  void shouldEndStreamsThatAreClosedAsSoonAsAccepted() throws Exception {
    try (ProgramListener listener = listen()) {
      for (int i = 0; i < 300; i++) {
        client = connect(PORT);
        listener.accept(TIMEOUT).close();
        assertThat(client.read(new byte[1], 0, 1)).isEqualTo(-1);
        client.close();
      }
    }
  }

  @Test
  void shouldPassMoreThanTheRingsHold() throws Exception {
    establish();
    byte[] sent = octets(3_000_000);
    CompletableFuture<byte[]> back =
        CompletableFuture.supplyAsync(() -> {
          try {
            return read(server, sent.length);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
    client.write(sent);
    assertThat(back.get()).isEqualTo(sent);
    client.close();
    assertThat(server.read(new byte[1], 0, 1)).isEqualTo(-1);
    server.close();
  }

  /** Nobody reads before the ring is full: so it is, each time. */
  @Test
  void shouldLengthenTheRingsOfAStreamInBulk() throws Exception {
    establish();
    byte[] part = octets(50_000);
    long read = 0;
    while (client.header().sendRing() == RING || server.header().receiveRing() == RING) {
      fill(client, server, part);
      byte[] got = read(server, (int) (client.header().written() - read));
      for (int i = 0; i < got.length; i++, read++) {
        assertThat(got[i]).isEqualTo(part[(int) (read % part.length)]);
      }
    }
    assertThat(client.header().sendRing()).isEqualTo(1 << 20);
    assertThat(server.header().receiveRing()).isEqualTo(1 << 20);
    client.close();
    server.close();
  }

  @Test
  void shouldRefuseWhereNobodyListens() throws Exception {
    client = connect(PORT);
    assertThat(errno(client::awaitConnected)).isEqualTo(Errno.ECONNREFUSED);
    client.close();
  }

  /** The daemon maps the memory of each: the kernel ends it where it has too many mappings. */
  @Test
  void shouldRefuseStreamsBeyondTheMemoriesOfAProcess() throws Exception {
    try (TestDaemon small =
            new TestDaemon("[limits]\nmemories = 300\nuser-share = 2\nprocess-share = 2\n");
        StreamSession session = StreamSession.open(small.socket(), "test");
        ProgramListener listener = session.listen(new InetSocketAddress("0.0.0.0", PORT), 8, 0)) {
      InetSocketAddress far = new InetSocketAddress(TestDaemon.ADDRESS_TWO, PORT);
      InetAddress from = address(TestDaemon.ADDRESS_ONE);
      for (int i = 0; i < 3; i++) {
        session.connect(far, from, 0, TIMEOUT);
        listener.accept(TIMEOUT);
      }
      assertThatThrownBy(() -> session.connect(far, from, 0, TIMEOUT))
          .hasMessageContaining("6 of 6 memories of process");
    }
  }

  /** The daemon's ends of listeners' sockets get room for a few streams only. */
  private static void limitOffers() throws IOException {
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      for (Path each : descriptors.toList()) {
        int number = Integer.parseInt(each.getFileName().toString());
        if (new String(name("getsockname", number), ISO_8859_1).startsWith("rddp-listener/")) {
          new PairedSocket(Descriptor.of(number)).limitSending();
        }
      }
    }
  }

  @Test
  void shouldResetWhatWasNotOfferedForWantOfRoomWhenTheListenerEnds() throws Exception {
    ProgramListener listener = there.listen(new InetSocketAddress("0.0.0.0", PORT), CLIENTS, 0);
    limitOffers();
    List<ProgramStream> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(connect(PORT));
      clients.getLast().awaitConnected();
    }
    listener.close();
    for (ProgramStream each : clients) {
      assertThat(errno(() -> each.read(new byte[1], 0, 1))).isEqualTo(Errno.ECONNRESET);
      each.close();
    }
  }

  @Test
  void shouldGiveAPortToOneListenerOrToAGroup() throws Exception {
    InetSocketAddress any = new InetSocketAddress("0.0.0.0", PORT);
    InetSocketAddress one = new InetSocketAddress(TestDaemon.ADDRESS_ONE, PORT);
    InetSocketAddress two = new InetSocketAddress(TestDaemon.ADDRESS_TWO, PORT);
    try (ProgramListener first = here.listen(any, 8, 0)) {
      assertThat(refusal(() -> there.listen(any, 8, 0))).isEqualTo(Reason.ADDRESS_IN_USE);
      assertThat(refusal(() -> there.listen(any, 8, REUSE_PORT))).isEqualTo(Reason.ADDRESS_IN_USE);
      assertThat(refusal(() -> there.listen(one, 8, 0))).isEqualTo(Reason.ADDRESS_IN_USE);
      assertThat(first.port()).isEqualTo(PORT);
    }
    ProgramListener specific = here.listen(one, 8, 0);
    there.listen(two, 8, 0).close();
    specific.close();
    ProgramListener group = here.listen(any, 8, REUSE_PORT);
    ProgramListener other = there.listen(any, 8, REUSE_PORT);
    ProgramStream[] clients = {connect(PORT), connect(PORT), connect(PORT), connect(PORT)};
    for (ProgramStream each : clients) {
      each.awaitConnected();
    }
    for (ProgramListener each : new ProgramListener[] {group, other}) {
      each.accept(TIMEOUT).close();
      each.accept(TIMEOUT).close();
    }
    for (ProgramStream each : clients) {
      each.close();
    }
    group.close();
    other.close();
  }

  @Test
  void shouldFreeThePortOfAClosedListenerAtOnce() throws Exception {
    InetSocketAddress any = new InetSocketAddress("0.0.0.0", PORT);
    for (int i = 0; i < 2000; i++) {
      (i % 2 == 0 ? here : there).listen(any, 8, 0).close();
    }
  }

  @Test
  void shouldLetClientsWaitWhileTheBacklogIsFull() throws Exception {
    try (ProgramListener listener = there.listen(new InetSocketAddress("0.0.0.0", PORT), 1, 0)) {
      ProgramStream[] clients = new ProgramStream[6];
      for (int i = 0; i < clients.length; i++) {
        clients[i] = connect(PORT);
        clients[i].write(new byte[] {(byte) i});
      }
      boolean[] served = new boolean[clients.length];
      for (int i = 0; i < clients.length; i++) {
        ProgramStream accepted = listener.accept(TIMEOUT);
        served[read(accepted, 1)[0]] = true;
        accepted.close();
      }
      assertThat(served).containsOnly(true);
      for (ProgramStream each : clients) {
        each.close();
      }
    }
  }

  @Test
  void shouldGiveWhatAnEndedListenerHasNotAcceptedToAnother() throws Exception {
    InetSocketAddress any = new InetSocketAddress("0.0.0.0", PORT);
    ProgramListener first = here.listen(any, 8, REUSE_PORT);
    ProgramListener second = there.listen(any, 8, REUSE_PORT);
    ProgramStream one = connect(PORT);
    ProgramStream two = connect(PORT);
    one.awaitConnected();
    two.awaitConnected();
    one.write("one".getBytes(US_ASCII));
    two.write("two".getBytes(US_ASCII));
    first.close();
    ProgramStream a = second.accept(TIMEOUT);
    ProgramStream b = second.accept(TIMEOUT);
    assertThat(List.of(new String(read(a, 3), US_ASCII), new String(read(b, 3), US_ASCII)))
        .containsExactlyInAnyOrder("one", "two");
    second.close();
    for (ProgramStream each : List.of(a, b, one, two)) {
      each.close();
    }
  }

  @Test
  void shouldResetWhatNobodyAccepts() throws Exception {
    ProgramListener listener = listen();
    client = connect(PORT);
    client.awaitConnected();
    client.write(octets(100));
    listener.close();
    assertThat(errno(() -> client.read(new byte[1], 0, 1))).isEqualTo(Errno.ECONNRESET);
    client.close();
  }

  @Test
  void shouldResetWhatIsClosedWithOctetsUnread() throws Exception {
    establish();
    client.write(octets(100));
    read(server, 1);
    server.close();
    assertThat(errno(() -> client.read(new byte[1], 0, 1))).isEqualTo(Errno.ECONNRESET);
    client.close();
  }

  /** The daemon, which may answer at once, must not do so before the socket is filled. */
  @Test
  void shouldGetRoomHoweverSoonTheDaemonAnswers() throws Exception {
    establish();
    PollSet poll = new PollSet();
    poll.addForSending(client.socket().descriptor());
    for (int i = 0; i < 5000; i++) {
      client.armSending();
      assertThat(poll.await(TIMEOUT.toNanos())).isOne();
    }
    client.close();
    server.close();
  }

  @Test
  void shouldWakeAWaiterOfManyStreams() throws Exception {
    establish();
    try (StreamWaiter waiter = here.openWaiter()) {
      assertThat(client.tell(waiter, 77)).isTrue();
      List<Integer> taken = new ArrayList<>();
      do {
        waiter.take(taken::add); // from connecting, if anything
      } while (!waiter.beginSleep());
      server.write(octets(1));
      PollSet poll = new PollSet();
      poll.add(waiter.descriptor());
      assertThat(poll.await(TIMEOUT.toNanos())).isOne();
      assertThat(waiter.clear()).isTrue();
      waiter.endSleep();
      taken.clear();
      waiter.take(taken::add);
      assertThat(taken).containsExactly(77);
      try (StreamWaiter other = here.openWaiter()) {
        assertThat(client.tell(other, 1)).isFalse();
        client.tellNobody();
        assertThat(client.tell(other, 1)).isTrue();
        assertThatThrownBy(() -> server.tell(waiter, 1))
            .isInstanceOf(IllegalArgumentException.class);
      }
    }
    client.close();
    server.close();
  }

  /** A waiter ends when its socket is closed, and its number may be another's. */
  @Test
  void shouldFreeWaitersThatAreClosed() throws Exception {
    for (int i = 0; i < 2 * StreamHeader.WAITERS; i++) {
      here.openWaiter().close();
    }
    List<StreamWaiter> open = new ArrayList<>();
    try {
      assertThatThrownBy(
              () -> {
                for (int i = 0; i <= StreamHeader.WAITERS; i++) {
                  open.add(here.openWaiter());
                }
              })
          .hasMessageContaining("at most 256 waiters");
    } finally {
      open.forEach(StreamWaiter::close);
    }
    establish();
    client.write(octets(3));
    assertThat(read(server, 3)).isEqualTo(octets(3));
    client.close();
    server.close();
  }

  @Test
  void shouldTakeOneHundredThousandSingleOctets() throws Exception {
    establish();
    CompletableFuture<byte[]> read =
        CompletableFuture.supplyAsync(() -> {
          try {
            return read(server, 100_000);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
    byte[] sent = octets(100_000);
    for (byte each : sent) {
      client.write(new byte[] {each});
    }
    assertThat(read.get()).isEqualTo(sent);
    client.close();
    server.close();
  }

  @Test
  void shouldKeepABoundPort() throws Exception {
    try (ProgramListener listener = listen()) {
      InetSocketAddress to = new InetSocketAddress(TestDaemon.ADDRESS_TWO, PORT);
      client = here.connect(to, address(TestDaemon.ADDRESS_ONE), 5000, TIMEOUT);
      server = listener.accept(TIMEOUT);
      assertThat(client.ends().localPort()).isEqualTo(5000);
      assertThat(server.ends().remotePort()).isEqualTo(5000);
      assertThat(refusal(() -> there.connect(to, address(TestDaemon.ADDRESS_ONE), 5000, TIMEOUT)))
          .isEqualTo(Reason.ADDRESS_IN_USE);
      client.close();
      server.close();
    }
  }

  @Test
  void shouldLoseOnlyItsStreamsToAProgramThatWritesNonsense() throws Exception {
    establish();
    ProgramStream honest = client;
    ProgramStream peer = server;
    int port = PORT + 1;
    try (ProgramListener listener = there.listen(new InetSocketAddress("0.0.0.0", port), 8, 0)) {
      for (long nonsense : new long[] {-1, 1, 65537, Long.MAX_VALUE, Long.MIN_VALUE + 65_537}) {
        for (boolean consumes : new boolean[] {true, false}) {
          ProgramStream liar = connect(port);
          ProgramStream other = listener.accept(TIMEOUT);
          liar.awaitConnected();
          StreamHeader header = liar.header();
          long wrong = !consumes && nonsense == 1 ? 65537 : nonsense;
          assertThat(consumes ? header.consume(0, wrong) : header.write(0, wrong)).isTrue();
          liar.endSending();
          assertThat(errno(() -> other.read(new byte[1], 0, 1))).isEqualTo(Errno.ECONNRESET);
          liar.close();
          other.close();
        }
      }
    }
    honest.write("still here".getBytes(US_ASCII));
    assertThat(read(peer, 10)).isEqualTo("still here".getBytes(US_ASCII));
    honest.close();
    peer.close();
  }

  @Test
  void shouldGoOnWithOtherFamiliesAndItsOwnAddress() throws Exception {
    try (ProgramListener listener = there.listen(new InetSocketAddress("::", PORT), 8, 0)) {
      for (String[] ends :
          new String[][] {
            {TestDaemon.IPV6_ONE, TestDaemon.IPV6_TWO},
            {TestDaemon.ADDRESS_ONE, TestDaemon.ADDRESS_TWO},
            {null, TestDaemon.ADDRESS_TWO}
          }) {
        InetAddress from = ends[0] == null ? null : address(ends[0]);
        client = here.connect(new InetSocketAddress(ends[1], PORT), from, 0, TIMEOUT);
        server = listener.accept(TIMEOUT);
        client.write(octets(10));
        assertThat(read(server, 10)).isEqualTo(octets(10));
        client.close();
        server.close();
      }
    }
    try (ProgramListener only6 =
        here.listen(new InetSocketAddress("::", PORT), 8, ProgramMessage.StreamListen.ONLY_IPV6)) {
      client = connect(PORT);
      assertThat(errno(client::awaitConnected)).isEqualTo(Errno.ECONNREFUSED);
      client.close();
      assertThat(only6.port()).isEqualTo(PORT);
    }
  }

  @Test
  void shouldLetNoProgramSpeakForADaemon() throws Exception {
    try (Rddp program = daemon.connect("one")) {
      InetSocketAddress port = new InetSocketAddress(TestDaemon.ADDRESS_TWO, 4793);
      assertThat(refusal(() -> program.connect(port, PrivateData.NONE, TIMEOUT)))
          .isEqualTo(Reason.PERMISSION);
      assertThat(refusal(() -> program.listen(4793))).isEqualTo(Reason.ADDRESS_IN_USE);
      PrivateData greeting = PrivateData.of("RDDPSTR1\1\0\0\0\0\0\0\0\0\0\0\1".getBytes(US_ASCII));
      InetSocketAddress other = new InetSocketAddress(TestDaemon.ADDRESS_TWO, 5000);
      assertThat(refusal(() -> program.connect(other, greeting, TIMEOUT)))
          .isEqualTo(Reason.INVALID);
    }
  }

  private static long opened(Rddp viewer) {
    try {
      return TestDaemon.counters(viewer).get("two.octet_streams_opened");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldListStreamsAndListeners() throws Exception {
    try (ProgramListener listener = listen();
        Rddp viewer = daemon.connect("one")) {
      client = connect(PORT);
      server = listener.accept(TIMEOUT);
      client.awaitConnected();
      List<String> connections = viewer.list(ListSubject.CONNECTIONS);
      assertThat(connections).hasSize(2);
      assertThat(connections)
          .allSatisfy(line ->
              assertThat(line).contains("\"protocol\":\"octets\"", "\"state\":\"established\""));
      List<String> listeners = viewer.list(ListSubject.LISTENERS);
      assertThat(listeners).hasSize(1);
      assertThat(listeners.getFirst()).contains("\"port\":7000", "\"backlog\":8");
      TestDaemon.await(() -> opened(viewer) == 1, "the stream is counted");
      client.close();
      server.close();
    }
  }
}
