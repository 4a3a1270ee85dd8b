package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Connection;
import org.rddp.client.Listener;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
import org.rddp.client.types.ListSubject;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;

/** Lists of a daemon's objects: what belongs to them, for whom, and in how many messages. */
@Timeout(60)
class ObjectListTest {
  private static final int NOBODY = 65534;
  private static final int CONNECTIONS = 11;
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final InetSocketAddress TWO = new InetSocketAddress("10.0.0.2", 7471);

  private static List<String> values(List<String> lines, String key) {
    return lines.stream()
        .map(line -> JsonParser.parseString(line).getAsJsonObject().get(key).getAsString())
        .toList();
  }

  @Test
  void shouldListEveryConnectionOnceInSeveralMessages() {
    try (TestDaemon daemon = new TestDaemon();
        Rddp here = daemon.connect("one");
        Rddp there = daemon.connect("two");
        Listener listener = there.listen(7471)) {
      List<Connection> opened = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        CompletableFuture<Connection> accepted =
            CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept());
        opened.add(here.connect(TWO, PrivateData.NONE, TIMEOUT));
        accepted.join();
      }
      opened.get(4).abort();
      TestDaemon.await(
          () -> here.list(ListSubject.CONNECTIONS).size() == 2 * CONNECTIONS - 2,
          "one connection has ended at both ends");
      List<String> ports = values(here.list(ListSubject.CONNECTIONS), "local_port");
      assertThat(ports.subList(0, CONNECTIONS - 1)).doesNotHaveDuplicates();
      assertThat(ports.subList(CONNECTIONS - 1, ports.size())).containsOnly("7471");
    }
  }

  @Test
  void shouldShowAUserOnlyItsOwnSessions() throws Exception {
    try (TestDaemon daemon = new TestDaemon("mode = \"0666\"\n")) {
      Files.setPosixFilePermissions(
          daemon.socket().getParent(), PosixFilePermissions.fromString("rwxr-xr-x"));
      try (Rddp ours = daemon.connect("two");
          Rddp theirs = OtherUser.call(NOBODY, NOBODY, () -> daemon.connect("one"))) {
        assertThat(values(theirs.list(ListSubject.SESSIONS), "uid")).containsExactly("65534");
        assertThat(values(ours.list(ListSubject.SESSIONS), "uid")).containsExactly("0", "65534");
      }
    }
  }

  @Test
  void shouldShowAllToAMemberOfTheDaemonsGroup() throws Exception {
    try (TestDaemon daemon = new TestDaemon("mode = \"0666\"\n")) {
      Files.setPosixFilePermissions(
          daemon.socket().getParent(), PosixFilePermissions.fromString("rwxr-xr-x"));
      int group = (int) Files.getAttribute(daemon.socket(), "unix:gid");
      try (Rddp ours = daemon.connect("two");
          Rddp theirs = OtherUser.call(NOBODY, group, () -> daemon.connect("one"))) {
        assertThat(values(theirs.list(ListSubject.SESSIONS), "uid")).containsExactly("0", "65534");
        assertThat(ours.list(ListSubject.LISTENERS)).isEmpty();
      }
    }
  }

  @Test
  void shouldEscapeTheNamesThatProgramsChoose() {
    try (TestDaemon daemon = new TestDaemon();
        Rddp forged =
            Rddp.connect(
                daemon.socket(), RddpOptions.defaults().withProgramName("\u001b[2J\n{\"a\":1}"))) {
      List<String> lines = forged.list(ListSubject.SESSIONS);
      assertThat(values(lines, "program")).containsExactly("\\u001b[2J\\u000a{\"a\":1}");
    }
  }

  @Test
  void shouldRefuseAListThatDoesNotExistAndStartAnywhere() throws Exception {
    try (TestDaemon daemon = new TestDaemon();
        RawProgram raw = new RawProgram(daemon.socket());
        Rddp other = daemon.connect("two")) {
      raw.begin("one");
      assertThat(raw.refusal(number -> new ProgramMessage.ListObjects(number, 7, 0, 0)))
          .isEqualTo(Reason.INVALID);
      for (int session : new int[] {-1, 0, 1, 2, 7, Integer.MAX_VALUE}) {
        for (int index : new int[] {-1, 0, 3, Integer.MAX_VALUE}) {
          for (int subject = 1; subject <= 6; subject++) {
            int what = subject;
            assertThat(
                    raw.request(
                        number -> new ProgramMessage.ListObjects(number, what, session, index)))
                .isInstanceOf(DaemonMessage.ObjectsListed.class);
          }
        }
      }
      assertThat(other.list(ListSubject.SESSIONS)).hasSize(2);
    }
  }
}
