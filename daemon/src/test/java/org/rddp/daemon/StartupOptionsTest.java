package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.ConnectionRejectedException;
import org.rddp.client.IncomingConnection;
import org.rddp.client.Listener;
import org.rddp.client.Rddp;
import org.rddp.client.RefusedException;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;
import org.rddp.client.types.StartupOptions;
import org.rddp.client.types.StartupTerms;

/** What programs choose of MPA's startup, and what they learn of it (RFC 6581 section 9). */
@Timeout(60)
class StartupOptionsTest {
  private static final int PORT = 7471;
  private static final InetSocketAddress TWO = new InetSocketAddress("10.0.0.2", PORT);
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final StartupOptions REVISION_2 = StartupOptions.DEFAULTS.withRevision(2);

  private final TestDaemon daemon;
  private final Rddp here;
  private final Rddp there;

  StartupOptionsTest() {
    daemon = new TestDaemon();
    here = daemon.connect("one");
    there = daemon.connect("two");
  }

  @AfterEach
  void stop() {
    here.close();
    there.close();
    daemon.close();
  }

  private static ConnectionOptions options(StartupOptions startup) {
    return ConnectionOptions.DEFAULTS.withStartup(startup);
  }

  private Listener listen(StartupOptions startup) {
    return there.listen(new InetSocketAddress(PORT), 8, options(startup));
  }

  private CompletableFuture<Connection> connect(StartupOptions startup) {
    return CompletableFuture.supplyAsync(
        () -> here.connect(TWO, PrivateData.NONE, TIMEOUT, options(startup)));
  }

  @Test
  @Tag("P2P-9.1-08")
  @Tag("RDMAP-6.1-02")
  @Tag("RDMAP-6.1-03")
  void programsShouldLearnBothEndsDepths() {
    try (Listener listener = listen(StartupOptions.DEFAULTS.withReads(4, 3))) {
      CompletableFuture<Connection> out = connect(REVISION_2.withReads(2, 8));
      IncomingConnection request = listener.await(TIMEOUT);
      StartupTerms atResponder = new StartupTerms(2, false, 2, 8, 4, 2);
      assertThat(request.startup()).isEqualTo(atResponder);
      assertThat(request.accept().startup()).isEqualTo(atResponder);
      assertThat(out.join().startup()).isEqualTo(new StartupTerms(2, false, 4, 2, 2, 4));
    }
  }

  @Test
  @Tag("RDMAP-6.1-02")
  void connectionsOfOneProgramShouldDiffer() {
    try (Listener listener = listen(StartupOptions.DEFAULTS)) {
      for (int ord : new int[] {1, 8, 0}) {
        CompletableFuture<Connection> out = connect(REVISION_2.withReads(0, ord));
        assertThat(listener.await(TIMEOUT).accept().startup().ird()).isEqualTo(ord);
        assertThat(out.join().startup().ord()).isEqualTo(ord);
      }
    }
  }

  @Test
  @Tag("P2P-9.1-12")
  @Tag("P2P-9.1-10")
  void aRejectionShouldSayWhatThePeerNeeds() {
    try (Listener listener = listen(StartupOptions.DEFAULTS.withReads(16, 4))) {
      CompletableFuture<Connection> out = connect(REVISION_2.withReads(1, 2));
      IncomingConnection request = listener.await(TIMEOUT);
      assertThat(request.startup().ord()).isEqualTo(1);
      request.reject(PrivateData.NONE);
      ConnectionRejectedException rejection =
          (ConnectionRejectedException)
              catchThrowableOfType(RuntimeException.class, out::join).getCause();
      assertThat(rejection.startup().peerOrd()).isEqualTo(4);
      assertThat(rejection.startup().peerIrd()).isEqualTo(2);
    }
  }

  @Test
  void anOrdThatNobodyHasAgreedOnShouldBeOneUnlessItWasChosen() {
    try (Listener listener = listen(StartupOptions.DEFAULTS)) {
      int unknown = StartupTerms.UNKNOWN;
      CompletableFuture<Connection> out = connect(StartupOptions.DEFAULTS);
      assertThat(listener.await(TIMEOUT).accept().startup())
          .isEqualTo(new StartupTerms(1, false, unknown, unknown, 16, 1));
      assertThat(out.join().startup().ord()).isEqualTo(1);
      out = connect(StartupOptions.DEFAULTS.withReads(3, 7));
      listener.await(TIMEOUT).accept();
      assertThat(out.join().startup())
          .isEqualTo(new StartupTerms(1, false, unknown, unknown, 3, 7));
    }
  }

  @Test
  @Tag("P2P-5-03")
  void aProgramShouldAskForPeerToPeerPerConnection() {
    try (Listener listener = listen(StartupOptions.DEFAULTS)) {
      CompletableFuture<Connection> one = connect(StartupOptions.DEFAULTS.withPeerToPeer(true));
      Connection in = listener.await(TIMEOUT).accept();
      assertThat(in.startup().peerToPeer()).isTrue();
      Connection out = one.join();
      assertThat(out.postReceive(1, here.allocate(16, Access.LOCAL_WRITE), 0, 16)).isTrue();
      assertThat(in.postInlineSend(2, MemorySegment.ofArray(new byte[] {1, 2, 3}), 0, 3, 1))
          .isTrue();
      TestDaemon.await(() -> here.poll(completion -> {}, 1) == 1, "the accepting end has sent");

      CompletableFuture<Connection> other = connect(StartupOptions.DEFAULTS);
      assertThat(listener.await(TIMEOUT).accept().startup().peerToPeer()).isFalse();
      assertThat(other.join().startup().peerToPeer()).isFalse();
    }
  }

  @Test
  void aListenerThatSendsFirstShouldRejectPeersThatDoNotLetIt() {
    try (Listener listener = listen(StartupOptions.DEFAULTS.withPeerToPeer(true))) {
      for (StartupOptions without : new StartupOptions[] {StartupOptions.DEFAULTS, REVISION_2}) {
        CompletableFuture<Connection> refused = connect(without);
        assertThatThrownBy(refused::join)
            .hasCauseInstanceOf(ConnectionRejectedException.class)
            .hasMessageContaining("if its program sends first, connect with peer-to-peer");
      }
      CompletableFuture<Connection> taken = connect(REVISION_2.withPeerToPeer(true));
      listener.await(TIMEOUT).accept();
      assertThat(taken.join().startup().peerToPeer()).isTrue();
      assertThat(listener.poll()).isNull();
    }
  }

  @Test
  @Tag("RDMAP-8.1.1-11")
  void programsShouldKeepToTheDepthsOfTheInterface() {
    for (StartupOptions more :
        new StartupOptions[] {REVISION_2.withReads(17, 1), REVISION_2.withReads(1, 17)}) {
      assertThatThrownBy(() -> listen(more))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("the interface allows 16 and 16")
          .extracting(e -> ((RefusedException) e).reason())
          .isEqualTo(Reason.LIMIT);
    }
  }
}
