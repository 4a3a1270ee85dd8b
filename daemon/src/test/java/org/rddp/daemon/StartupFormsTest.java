package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.client.Connection;
import org.rddp.client.IncomingConnection;
import org.rddp.client.Listener;
import org.rddp.client.Rddp;
import org.rddp.client.RefusedException;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;

/** Connections with each startup form that can be configured. */
@Timeout(60)
class StartupFormsTest {
  private static final int PORT = 7471;
  private static final InetSocketAddress TWO = new InetSocketAddress("10.0.0.2", PORT);
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final PrivateData NONE = PrivateData.of(new byte[0]);
  private static final PrivateData HELLO = data("hello");
  private static final PrivateData WELCOME = data("welcome");
  private static final MemorySegment WORDS = MemorySegment.ofArray(new byte[] {1, 2, 3});

  private static PrivateData data(String text) {
    return PrivateData.of(text.getBytes(StandardCharsets.UTF_8));
  }

  private static Connection accept(Listener listener, PrivateData answer) {
    IncomingConnection request = listener.await(TIMEOUT);
    return request.accept(answer);
  }

  private static String next(Rddp session) {
    List<String> seen = new ArrayList<>();
    while (seen.isEmpty()) {
      session.poll(each -> seen.add(each.id() + " " + each.status() + " " + each.octets()), 1);
      if (seen.isEmpty()) {
        session.await(TIMEOUT);
      }
    }
    return seen.get(0);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "revision = 1",
        "revision = 2",
        "revision = 2\npeer-to-peer = true",
        "revision = 2\npeer-to-peer = true\nrtr = [\"read\"]",
        "revision = 2\npeer-to-peer = true\nrtr = [\"send\"]",
        "startup = \"start-key\"",
        "startup = \"start-key-with-private-data\"",
        "permissive = true"
      })
  void programsShouldTalk(String mpa) {
    boolean carries = !mpa.contains("\"start-key\"");
    try (TestDaemon daemon = new TestDaemon("", mpa);
        Rddp here = daemon.connect("one");
        Rddp there = daemon.connect("two");
        Listener listener = there.listen(PORT)) {
      CompletableFuture<Connection> accepted =
          CompletableFuture.supplyAsync(() -> accept(listener, carries ? WELCOME : NONE));
      Connection out = here.connect(TWO, carries ? HELLO : NONE, TIMEOUT);
      Connection in = accepted.join();
      assertThat(out.privateData()).isEqualTo(carries ? WELCOME : NONE);
      if (mpa.contains("peer-to-peer")) {
        exchange(in, out);
      }
      exchange(out, in);
      exchange(in, out);
    }
  }

  /** One end sends, the other one receives. */
  private static void exchange(Connection from, Connection to) {
    assertThat(to.postReceive(7, to.session().allocate(16, Access.LOCAL_WRITE), 0, 16)).isTrue();
    assertThat(from.postInlineSend(8, WORDS, 0, 3, 1)).isTrue();
    assertThat(next(to.session())).isEqualTo("7 SUCCESS 3");
    assertThat(next(from.session())).isEqualTo("8 SUCCESS 3");
  }

  @Test
  void aStartKeyAloneShouldCarryNoPrivateData() {
    try (TestDaemon daemon = new TestDaemon("", "startup = \"start-key\"");
        Rddp here = daemon.connect("one")) {
      assertThatThrownBy(() -> here.connect(TWO, HELLO, TIMEOUT))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("more than 0");
    }
  }
}
