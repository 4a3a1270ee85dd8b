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
import org.rddp.client.MemoryWindow;
import org.rddp.client.Rddp;
import org.rddp.client.RefusedException;
import org.rddp.client.RegionOptions;
import org.rddp.client.ScatterList;
import org.rddp.client.SharedReceiveQueue;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.ProtectionDomains;
import org.rddp.client.types.Reason;
import org.rddp.client.types.SendFlags;

/** Protection domains of one program: what peers and requests of its own may name. */
@Timeout(60)
class ProtectionDomainsTest {
  private static final int FIRST = 1;
  private static final int LAST = ProtectionDomains.LARGEST;
  private static final int TAGGED_NOT_ASSOCIATED = 0x0102;
  private static final RegionOptions ALL =
      RegionOptions.of(
          Access.LOCAL_WRITE,
          Access.REMOTE_READ,
          Access.REMOTE_WRITE,
          Access.REMOTE_ATOMIC,
          Access.MW_BIND);

  private final TestDaemon daemon = new TestDaemon();
  private final Rddp here = daemon.connect("one");
  private final Rddp there = daemon.connect("two");
  private final MemoryRegion local = here.allocate(64, Access.LOCAL_WRITE);
  private final MemoryRegion first = there.allocate(64, ALL.withDomain(FIRST));
  private final MemoryRegion last = there.allocate(64, ALL.withDomain(LAST));
  private final MemoryRegion none = there.allocate(64, ALL);
  private Connection out;
  private Connection in;

  @AfterEach
  void close() {
    here.close();
    there.close();
    daemon.close();
  }

  private void connect(ConnectionOptions listens, AcceptOptions accepts) {
    Listener listener = there.listen(new InetSocketAddress(0), 8, listens);
    InetSocketAddress to = new InetSocketAddress("10.0.0.2", listener.address().getPort());
    ConnectionOptions options = ConnectionOptions.DEFAULTS.withPeerToPeer(true);
    CompletableFuture<Connection> connecting =
        CompletableFuture.supplyAsync(() -> here.connect(to, PrivateData.NONE, TIMEOUT, options));
    in = listener.await(TIMEOUT).accept(PrivateData.NONE, accepts);
    out = connecting.join();
  }

  private void connectIn(int domain) {
    connect(ConnectionOptions.DEFAULTS.withDomain(domain), AcceptOptions.DEFAULTS);
  }

  private void bind(long id, MemoryWindow window, MemoryRegion region) {
    int rights = Access.REMOTE_WRITE.bit();
    assertThat(in.localOperations().postBind(id, window, region, 0, 8, rights, 0)).isTrue();
  }

  private void assertEnded(Reason reason, int detail) {
    TestDaemon.await(() -> in.closeReason() != null, "the connection has ended");
    assertThat(in.closeReason()).isEqualTo(reason);
    assertThat(in.closeDetail()).isEqualTo(detail);
  }

  @Test
  @Tag("DDP-8.2-01")
  @Tag("RDMAP-8.1.1-01")
  void aPeerShouldUseStagsOfTheDomainOfItsConnection() {
    connectIn(FIRST);
    assertThat(out.postWrite(1, local, 0, 8, first.stag(), 0)).isTrue();
    assertThat(out.postRead(2, local, 8, 8, first.stag(), 0)).isTrue();
    assertThat(completions(here, 2)).containsExactly("write 1 SUCCESS 8", "read 2 SUCCESS 8");
  }

  @Test
  @Tag("DDP-8.2-01")
  @Tag("RDMAP-8.1.1-01")
  void aWriteIntoAnotherDomainShouldEndTheConnection() {
    connectIn(FIRST);
    assertThat(out.postWrite(1, local, 0, 8, last.stag(), 0)).isTrue();
    assertEnded(Reason.DDP_ERROR, TAGGED_NOT_ASSOCIATED);
  }

  @Test
  void aReadFromTheDefaultDomainShouldEndTheConnectionOfAnother() {
    connectIn(LAST);
    assertThat(out.postRead(1, local, 0, 8, none.stag(), 0)).isTrue();
    assertThat(completions(here, 1)).containsExactly("read 1 REMOTE_ACCESS_ERROR 0");
    assertEnded(Reason.RDMAP_ERROR, 0x0103);
  }

  @Test
  void anAtomicOnAnotherDomainShouldEndTheConnection() {
    connectIn(FIRST);
    assertThat(out.atomics().postFetchAdd(1, local, 0, last.stag(), 0, 1, SendFlags.SIGNALLED))
        .isTrue();
    assertThat(completions(here, 1)).containsExactly("fetch and add 1 REMOTE_ACCESS_ERROR 0");
    assertEnded(Reason.RDMAP_ERROR, 0x0103);
  }

  @Test
  void requestsShouldNameRegionsOfTheDomainOfTheirConnection() {
    connectIn(FIRST);
    MemoryRegion sink = here.allocate(64, ALL);
    assertThat(in.postReceive(1, last, 0, 8)).isTrue();
    ScatterList mixed = new ScatterList().add(first, 0, 4).add(last, 0, 4);
    assertThat(in.postReceive(2, mixed)).isTrue();
    assertThat(in.postSend(3, none, 0, 8)).isTrue();
    assertThat(in.postWrite(4, last, 0, 8, sink.stag(), 0)).isTrue();
    assertThat(in.postRead(5, last, 0, 8, sink.stag(), 0)).isTrue();
    assertThat(completions(there, 5))
        .containsExactly(
            "receive 1 LOCAL_PROTECTION_ERROR 0",
            "receive 2 LOCAL_PROTECTION_ERROR 0",
            "send 3 LOCAL_PROTECTION_ERROR 0",
            "write 4 LOCAL_PROTECTION_ERROR 0",
            "read 5 LOCAL_PROTECTION_ERROR 0");
    assertThat(in.postRead(6, first, 0, 8, sink.stag(), 0)).isTrue();
    assertThat(completions(there, 1)).containsExactly("read 6 SUCCESS 8");
  }

  @Test
  void receivesOfASharedQueueShouldBeOfItsOwnDomain() {
    SharedReceiveQueue queue = there.createSharedReceiveQueue(4, LAST);
    connect(
        ConnectionOptions.DEFAULTS.withDomain(FIRST),
        AcceptOptions.DEFAULTS.withReceiveQueue(queue));
    assertThat(queue.postReceive(1, first, 0, 64)).isTrue();
    assertThat(queue.postReceive(2, last, 0, 64)).isTrue();
    assertThat(completions(there, 1)).containsExactly("receive 1 LOCAL_PROTECTION_ERROR 0");
    assertThat(out.postSend(3, local, 0, 5)).isTrue();
    assertThat(completions(there, 1)).containsExactly("receive 2 SUCCESS 5");
  }

  @Test
  void aWindowShouldOpenARegionOfItsDomainToConnectionsOfTheSame() {
    connectIn(FIRST);
    MemoryWindow other = there.allocateWindow(LAST);
    MemoryWindow window = there.allocateWindow(FIRST);
    bind(1, other, first);
    assertThat(completions(there, 1)).containsExactly("bind 1 MW_BIND_ERROR 0");
    bind(2, other, last);
    assertThat(completions(there, 1)).containsExactly("bind 2 MW_BIND_ERROR 0");
    bind(3, window, last);
    assertThat(completions(there, 1)).containsExactly("bind 3 MW_BIND_ERROR 0");
    bind(4, window, first);
    assertThat(completions(there, 1)).containsExactly("bind 4 SUCCESS 0");
    assertThat(out.postWrite(5, local, 0, 8, window.stag(), 0)).isTrue();
    assertThat(completions(here, 1)).containsExactly("write 5 SUCCESS 8");
  }

  @Test
  void shouldChooseTheDomainWhenAccepting() {
    connect(ConnectionOptions.DEFAULTS, AcceptOptions.DEFAULTS.withDomain(FIRST));
    assertThat(out.postWrite(1, local, 0, 8, first.stag(), 0)).isTrue();
    assertThat(completions(here, 1)).containsExactly("write 1 SUCCESS 8");
    assertThat(in.postReceive(2, none, 0, 8)).isTrue();
    assertThat(completions(there, 1)).containsExactly("receive 2 LOCAL_PROTECTION_ERROR 0");
    assertThat(out.postWrite(3, local, 0, 8, none.stag(), 0)).isTrue();
    assertEnded(Reason.DDP_ERROR, TAGGED_NOT_ASSOCIATED);
  }

  @Test
  void shouldNotChooseTheDomainOnceReceivesHaveBeenPosted() {
    Listener listener = there.listen(0);
    InetSocketAddress to = new InetSocketAddress("10.0.0.2", listener.address().getPort());
    CompletableFuture<Connection> connecting =
        CompletableFuture.supplyAsync(() -> here.connect(to, PrivateData.NONE, TIMEOUT));
    IncomingConnection request = listener.await(TIMEOUT);
    assertThat(request.connection().postReceive(1, none, 0, 8)).isTrue();
    assertThatThrownBy(
            () -> request.accept(PrivateData.NONE, AcceptOptions.DEFAULTS.withDomain(FIRST)))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("no other protection domain now");
    request.accept(PrivateData.NONE, AcceptOptions.DEFAULTS.withDomain(ProtectionDomains.DEFAULT));
    connecting.join();
  }

  @Test
  void aRegionForOneConnectionShouldBeOfItsDomain() {
    connectIn(FIRST);
    assertThatThrownBy(() -> last.register(0, 8, ALL.withConnection(in).withDomain(LAST)))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("the connection is not of the protection domain " + LAST);
    MemoryRegion own = last.register(0, 8, ALL.withConnection(in).withDomain(FIRST));
    assertThat(out.postWrite(1, local, 0, 8, own.stag(), 0)).isTrue();
    assertThat(completions(here, 1)).containsExactly("write 1 SUCCESS 8");
  }

  @Test
  void shouldRefuseNumbersThatAreTooLarge() {
    assertThatThrownBy(() -> ALL.withDomain(LAST + 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("4096: its number is 0 to 4095");
    assertThatThrownBy(() -> there.allocateWindow(-1)).isInstanceOf(IllegalArgumentException.class);
  }
}
