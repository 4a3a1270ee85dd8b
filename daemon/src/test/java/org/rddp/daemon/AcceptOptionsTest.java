package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.daemon.ConnectedPrograms.TIMEOUT;
import static org.rddp.daemon.ConnectedPrograms.completions;

import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.AcceptOptions;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.IncomingConnection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RefusedException;
import org.rddp.client.SharedReceiveQueue;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;
import org.rddp.client.types.StartupOptions;
import org.rddp.client.types.StartupTerms;

/** What a program chooses for one connection when it accepts it. */
@Timeout(60)
class AcceptOptionsTest {
  private static final AcceptOptions DEFAULTS = AcceptOptions.DEFAULTS;

  private final TestDaemon daemon = new TestDaemon();
  private final Rddp here = daemon.connect("one");
  private final Rddp there = daemon.connect("two");
  private Listener listener = listen(ConnectionOptions.DEFAULTS);
  private final MemoryRegion source = here.allocate(64, Access.LOCAL_WRITE);
  private final MemoryRegion sink = there.allocate(64, Access.LOCAL_WRITE);

  @AfterEach
  void close() {
    here.close();
    there.close();
    daemon.close();
  }

  private Listener listen(ConnectionOptions options) {
    return there.listen(new InetSocketAddress(0), 8, options);
  }

  private CompletableFuture<Connection> connect(StartupOptions startup) {
    InetSocketAddress to = new InetSocketAddress("10.0.0.2", listener.address().getPort());
    ConnectionOptions options = ConnectionOptions.DEFAULTS.withStartup(startup);
    return CompletableFuture.supplyAsync(
        () -> here.connect(to, PrivateData.NONE, TIMEOUT, options));
  }

  private static Connection accept(IncomingConnection request, AcceptOptions options) {
    return request.accept(PrivateData.NONE, options);
  }

  private static void assertRefused(
      Reason reason, IncomingConnection request, AcceptOptions options) {
    assertThatThrownBy(() -> accept(request, options))
        .isInstanceOf(RefusedException.class)
        .extracting(e -> ((RefusedException) e).reason())
        .isEqualTo(reason);
  }

  @Test
  @Tag("P2P-9.1-08")
  @Tag("P2P-9.1-10")
  void shouldChooseTheDepthsOfOneConnection() {
    StartupOptions wanted = StartupOptions.DEFAULTS.withRevision(2).withReads(8, 8);
    CompletableFuture<Connection> first = connect(wanted);
    IncomingConnection request = listener.await(TIMEOUT);
    assertThat(request.startup()).isEqualTo(new StartupTerms(2, false, 8, 8, 8, 8));
    Connection in = accept(request, DEFAULTS.withReads(2, 1));
    assertThat(in.startup()).isEqualTo(new StartupTerms(2, false, 8, 8, 2, 1));
    assertThat(first.join().startup()).isEqualTo(new StartupTerms(2, false, 2, 1, 1, 2));

    CompletableFuture<Connection> second = connect(wanted);
    assertThat(listener.await(TIMEOUT).accept().startup().ird()).isEqualTo(8);
    assertThat(second.join().startup().ord()).isEqualTo(8);
  }

  @Test
  @Tag("RDMAP-6.1-02")
  void anOrdThatIsChosenShouldHoldTowardsAPeerThatSaysNone() {
    CompletableFuture<Connection> out = connect(StartupOptions.DEFAULTS);
    IncomingConnection request = listener.await(TIMEOUT);
    assertThat(request.startup().ord()).isEqualTo(1);
    assertThat(accept(request, DEFAULTS.withReads(3, 7)).startup())
        .isEqualTo(new StartupTerms(1, false, StartupTerms.UNKNOWN, StartupTerms.UNKNOWN, 3, 7));
    out.join();
  }

  @Test
  void shouldKeepToTheDepthsOfTheListener() {
    listener =
        listen(ConnectionOptions.DEFAULTS.withStartup(StartupOptions.DEFAULTS.withReads(4, 3)));
    CompletableFuture<Connection> out = connect(StartupOptions.DEFAULTS);
    IncomingConnection request = listener.await(TIMEOUT);
    assertRefused(Reason.LIMIT, request, DEFAULTS.withReads(5, 1));
    assertRefused(Reason.LIMIT, request, DEFAULTS.withReads(1, 4));
    accept(request, DEFAULTS.withReads(4, 3));
    out.join();
  }

  @Test
  void shouldTakeReceivesFromASharedQueueThatTheListenerDoesNotHave() {
    SharedReceiveQueue queue = there.createSharedReceiveQueue(4);
    CompletableFuture<Connection> connecting = connect(StartupOptions.DEFAULTS);
    Connection in = accept(listener.await(TIMEOUT), DEFAULTS.withReceiveQueue(queue));
    Connection out = connecting.join();
    assertThatThrownBy(() -> in.postReceive(1, sink, 0, 64))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("shared queue");
    assertThat(queue.postReceive(2, sink, 0, 64)).isTrue();
    assertThat(out.postSend(3, source, 0, 5)).isTrue();
    assertThat(completions(there, 1)).containsExactly("receive 2 SUCCESS 5");
    assertThat(queue.outstanding()).isZero();
    assertThatThrownBy(queue::close)
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("1 connections or listeners use the receive queue");
    out.disconnect();
    in.close();
    out.close();
    TestDaemon.await(() -> in.closeReason() != null, "the connection has ended");
    queue.close();
  }

  @Test
  void shouldExchangeTheSharedQueueOfTheListener() {
    SharedReceiveQueue listeners = there.createSharedReceiveQueue(4);
    SharedReceiveQueue own = there.createSharedReceiveQueue(4);
    listener = listen(ConnectionOptions.DEFAULTS.withReceiveQueue(listeners));
    assertThat(listeners.postReceive(1, sink, 0, 64)).isTrue();
    assertThat(own.postReceive(2, sink, 0, 64)).isTrue();
    CompletableFuture<Connection> connecting = connect(StartupOptions.DEFAULTS);
    accept(listener.await(TIMEOUT), DEFAULTS.withReceiveQueue(own));
    assertThat(connecting.join().postSend(3, source, 0, 5)).isTrue();
    assertThat(completions(there, 1)).containsExactly("receive 2 SUCCESS 5");
    listener.close();
    listeners.close();
    assertThat(completions(there, 1)).containsExactly("receive 1 FLUSHED 0");
  }

  @Test
  void shouldRefuseASharedQueueOnceReceivesHaveBeenPosted() {
    SharedReceiveQueue queue = there.createSharedReceiveQueue(4);
    CompletableFuture<Connection> connecting = connect(StartupOptions.DEFAULTS);
    IncomingConnection request = listener.await(TIMEOUT);
    assertThat(request.connection().postReceive(1, sink, 0, 64)).isTrue();
    assertRefused(Reason.INVALID, request, DEFAULTS.withReceiveQueue(queue));
    request.accept();
    assertThat(connecting.join().postSend(3, source, 0, 5)).isTrue();
    assertThat(completions(there, 1)).containsExactly("receive 1 SUCCESS 5");
    queue.close();
  }

  @Test
  void shouldRefuseChoicesThatPlainDdpDoesNotHave() {
    ConnectionOptions plain = ConnectionOptions.plainDdp(4);
    listener = listen(plain);
    InetSocketAddress to = new InetSocketAddress("10.0.0.2", listener.address().getPort());
    CompletableFuture<Connection> connecting =
        CompletableFuture.supplyAsync(() -> here.connect(to, PrivateData.NONE, TIMEOUT, plain));
    IncomingConnection request = listener.await(TIMEOUT);
    assertRefused(Reason.INVALID, request, DEFAULTS.withReads(1, 1));
    request.accept();
    connecting.join();
  }
}
