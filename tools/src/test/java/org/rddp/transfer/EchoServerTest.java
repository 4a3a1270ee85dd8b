package org.rddp.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Completion;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionFailedException;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.ConnectionRejectedException;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.ListSubject;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;
import org.rddp.daemon.TestDaemon;
import org.rddp.perf.MarkedSlots;
import org.rddp.perf.PerfRequest;
import org.rddp.perf.Service;
import org.rddp.perf.Verb;
import org.rddp.rig.AdvertisedBuffer;

/** The echo server with peers that are many, slow, or gone early, over a whole daemon. */
@Timeout(120)
class EchoServerTest {
  private static final int PORT = 7471;
  private static final int LONGEST = 1 << 15;
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final InetSocketAddress SERVER =
      new InetSocketAddress(TestDaemon.ADDRESS_TWO, PORT);

  private final TestDaemon daemon = new TestDaemon();
  private final Rddp here = daemon.connect("one");
  private final Rddp there = daemon.connect("two");
  private final MemoryRegion memory = here.allocate(4L * LONGEST, Access.LOCAL_WRITE);
  private final Queue<String> log = new ConcurrentLinkedQueue<>();
  private final Thread server =
      new Thread(() -> new EchoServer(there, LONGEST, 1 << 20, log::add).serve(PORT), "echo");

  /** Ids of the receives that have completed. */
  private final List<Long> received = new ArrayList<>();

  @BeforeEach
  void serve() {
    server.start();
  }

  @AfterEach
  void close() throws InterruptedException {
    server.interrupt();
    server.join();
    here.close();
    there.close();
    daemon.close();
  }

  /** Retries until the server listens. */
  private Connection connect(ConnectionOptions options) {
    return connect(PrivateData.NONE, options);
  }

  private Connection connect(PrivateData data, ConnectionOptions options) {
    while (true) {
      try {
        return here.connect(SERVER, data, TIMEOUT, options);
      } catch (ConnectionRejectedException e) {
        throw e;
      } catch (ConnectionFailedException e) {
        assertThat(e.reason()).isEqualTo(Reason.REFUSED);
      }
    }
  }

  private void until(BooleanSupplier condition, String what) {
    TestDaemon.await(
        () -> {
          here.poll(this::onCompletion, 64);
          return condition.getAsBoolean();
        },
        what);
  }

  private void onCompletion(Completion completion) {
    if (completion.opcode() == Opcode.RECEIVE && completion.isSuccess()) {
      received.add(completion.id());
    }
  }

  private void roundTrip(Connection connection, int id) {
    memory.segment().set(ValueLayout.JAVA_INT, 0, id);
    until(() -> connection.postReceive(id, memory, LONGEST, 4), "a receive fits");
    until(() -> connection.postSend(id, memory, 0, 4), "a send fits");
    until(() -> received.remove((Long) (long) id), "echo " + id + " has come");
    assertThat(memory.segment().get(ValueLayout.JAVA_INT, LONGEST)).isEqualTo(id);
  }

  @Test
  void shouldAskOnlyForWhatTheDaemonAllowsByDefault() {
    TestDaemon.await(() -> !log.isEmpty(), "the server listens");
    assertThat(here.list(ListSubject.ERRORS)).isEmpty();
  }

  @Test
  void shouldServeAsManyPeersAsTheSessionAllowsAndRejectTheNext() {
    List<Connection> peers = new ArrayList<>();
    for (int i = 0; i < 128; i++) {
      peers.add(connect(ConnectionOptions.DEFAULTS));
      roundTrip(peers.get(i), i);
    }
    for (int i = 0; i < 128; i++) {
      roundTrip(peers.get(i), i);
    }

    assertThatThrownBy(() -> connect(ConnectionOptions.DEFAULTS))
        .isInstanceOfSatisfying(
            ConnectionRejectedException.class,
            e ->
                assertThat(new String(e.privateData().toByteArray(), StandardCharsets.UTF_8))
                    .isEqualTo("the echo server has 128 peers, the most it serves"));

    peers.getFirst().close();
    TestDaemon.await(
        () -> log.stream().anyMatch(line -> line.startsWith("end of")), "the first has ended");
    roundTrip(connect(ConnectionOptions.DEFAULTS), 1000);
    roundTrip(peers.getLast(), 127);
  }

  /** The slow peer sends more than windows and held messages have room for. */
  @Test
  @Tag("DDP-7.1-02")
  void shouldWaitForAPeerThatSendsAheadAndReadsLate() {
    int messages = 250;
    Connection slow = connect(ConnectionOptions.DEFAULTS.withHeldOctets(2 << 20));
    for (int i = 0; i < messages; i++) {
      assertThat(slow.postSend(i, memory, 0, LONGEST)).isTrue();
    }
    Connection other = connect(ConnectionOptions.DEFAULTS);
    for (int i = 0; i < 100; i++) {
      roundTrip(other, 1000 + i);
    }
    assertThat(slow.sendsOutstanding()).as("the window stops it").isPositive();

    for (int i = 0; i < messages; i++) {
      int id = i;
      until(() -> slow.postReceive(id, memory, 2L * LONGEST, LONGEST), "a receive fits");
    }
    until(() -> received.size() == messages, "every echo has come");
    assertThat(received).isSorted();
    assertThat(slow.closeReason()).isNull();
  }

  @Test
  void shouldAnswerWhatCameBeforeTheFin() {
    for (int round = 0; round < 30; round++) {
      Connection connection = connect(ConnectionOptions.DEFAULTS);
      for (int i = 0; i < 40; i++) {
        assertThat(connection.postReceive(i, memory, LONGEST, 64)).isTrue();
        assertThat(connection.postSend(i, memory, 0, 64)).isTrue();
      }
      connection.disconnect();
      until(() -> connection.closeReason() != null, "the connection has ended");
      here.poll(this::onCompletion, 256);
      assertThat(received).as("round %d", round).hasSize(40);
      assertThat(connection.closeReason()).isEqualTo(Reason.LOCAL_CLOSE);
      received.clear();
    }
  }

  private static PrivateData request(Service service, int size, AdvertisedBuffer buffer) {
    return new PerfRequest(service, Verb.WRITE, size, 1, false, buffer).toPrivateData();
  }

  private void assertRejected(PrivateData request, String reason) {
    assertThatThrownBy(() -> connect(request, ConnectionOptions.DEFAULTS))
        .isInstanceOfSatisfying(
            ConnectionRejectedException.class,
            e ->
                assertThat(new String(e.privateData().toByteArray(), StandardCharsets.UTF_8))
                    .contains(reason));
  }

  @Test
  void shouldRejectMeasurementsThatItCannotServe() {
    AdvertisedBuffer buffer = AdvertisedBuffer.of(memory);
    assertRejected(request(Service.WRITE_BACK, 2 * LONGEST * 4, buffer), "a buffer of 131072");
    assertRejected(request(Service.LOAD, 1 << 29, buffer), "see --perf-memory of 'rddp echo'");
    byte[] octets = request(Service.LOAD, 64, buffer).toByteArray();
    octets[9]++;
    assertRejected(PrivateData.of(octets), "a request of another version of rddp perf");

    roundTrip(connect(ConnectionOptions.DEFAULTS), 1);
  }

  /** The server must neither write there nor fail. */
  @Test
  void shouldServeOthersWhenAPeerNamesMemoryThatMayNotBeWritten() {
    AdvertisedBuffer notWritable = AdvertisedBuffer.of(memory);
    Connection connection =
        connect(request(Service.WRITE_BACK, 64, notWritable), ConnectionOptions.DEFAULTS);
    AdvertisedBuffer server = AdvertisedBuffer.read(connection.privateData());
    new MarkedSlots(64, 1).mark(memory.segment(), 0);
    assertThat(connection.postWrite(1, memory, 0, 64, server.stag(), server.to())).isTrue();
    until(() -> connection.closeReason() != null, "the connection has ended");
    assertThat(connection.closeReason()).isEqualTo(Reason.DDP_ERROR);

    roundTrip(connect(ConnectionOptions.DEFAULTS), 1);
  }

  @Test
  void shouldGiveTheMemoryOfMeasurementsBack() {
    AdvertisedBuffer buffer = AdvertisedBuffer.of(memory);
    PrivateData request = request(Service.LOAD, 600 << 10, buffer);
    for (int round = 0; round < 2; round++) {
      Connection connection = connect(request, ConnectionOptions.DEFAULTS);
      assertRejected(request, "left for measurements");
      connection.close();
      TestDaemon.await(
          () -> log.stream().anyMatch(line -> line.startsWith("end of")), "the peer has ended");
      log.clear();
    }
  }
}
