package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.daemon.ConnectedPrograms.TIMEOUT;
import static org.rddp.daemon.ConnectedPrograms.completions;

import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import org.rddp.client.Connection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.AddressText;
import org.rddp.client.types.PrivateData;

/**
 * Two programs that connect and compare what has arrived.
 *
 * @param here the one that connects
 * @param there the one that listens
 */
record Exchange(Rddp here, Rddp there) {
  private static final int OCTETS = 1 << 18;

  /** Connects to an address, sends and writes, and ends the connection. */
  void over(Listener listener, InetSocketAddress to, String from) {
    CompletableFuture<Connection> accepted =
        CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept());
    try (Connection out = here.connect(to, PrivateData.NONE, TIMEOUT);
        Connection in = accepted.join()) {
      assertThat(AddressText.of(in.remoteAddress().getAddress())).isEqualTo(from);
      assertThat(in.localAddress()).isEqualTo(to);
      assertThat(out.remoteAddress()).isEqualTo(to);
      assertThat(out.localAddress()).isEqualTo(in.remoteAddress());
      transfer(out, in);
      out.disconnect();
      TestDaemon.await(() -> in.isPeerClosed(), "the peer has closed");
    }
  }

  private void transfer(Connection out, Connection in) {
    try (MemoryRegion source = here.allocate(OCTETS, Access.LOCAL_WRITE);
        MemoryRegion received = there.allocate(OCTETS, Access.LOCAL_WRITE);
        MemoryRegion written = there.allocate(OCTETS, Access.LOCAL_WRITE, Access.REMOTE_WRITE)) {
      for (int i = 0; i < OCTETS; i++) {
        source.segment().set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31));
      }
      assertThat(in.postReceive(1, received, 0, OCTETS)).isTrue();
      assertThat(out.postWrite(2, source, 0, OCTETS, written.stag(), 0)).isTrue();
      assertThat(out.postSend(3, source, 0, OCTETS)).isTrue();
      assertThat(completions(there, 1)).contains("receive 1 SUCCESS " + OCTETS);
      assertThat(completions(here, 2)).hasSize(2);
      assertThat(received.segment().mismatch(source.segment())).isEqualTo(-1);
      assertThat(written.segment().mismatch(source.segment())).isEqualTo(-1);
    }
  }
}
