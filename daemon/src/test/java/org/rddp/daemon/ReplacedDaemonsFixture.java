package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
import org.rddp.client.streams.ProgramStream;
import org.rddp.client.streams.StreamSession;
import org.rddp.client.types.Access;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.ConfigurationException;
import org.rddp.daemon.configuration.ConfigurationFile;
import org.rddp.daemon.replacement.Successor;
import org.rddp.ipc.control.ControlSocket;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.linux.PollSet;

/** Daemons that take each other's place in this process, and programs of theirs. */
abstract class ReplacedDaemonsFixture {
  static final int OWN = (int) ProcessHandle.current().pid();

  static final String ADDRESS_ONE = "10.0.0.1";

  @TempDir Path directory;

  final ByteArrayOutputStream log = new ByteArrayOutputStream();

  final List<Daemon> daemons = new ArrayList<>();

  Path control;

  Daemon old;

  @BeforeEach
  void start() throws Exception {
    control = directory.resolve("rddpd.sock");
    old = Daemon.start(configuration(ADDRESS_ONE), ports(), out());
    daemons.add(old);
  }

  @AfterEach
  void end() {
    daemons.forEach(Daemon::close);
    assertThat(directory).isEmptyDirectory();
  }

  PrintStream out() {
    return new PrintStream(log, true, StandardCharsets.UTF_8);
  }

  static Ports ports() {
    return new LoopedPorts(4096, 0, 1, 1500);
  }

  Configuration configuration(String addressOfOne) throws ConfigurationException {
    return configuration("one", addressOfOne);
  }

  Configuration configuration(String one, String addressOfOne) throws ConfigurationException {
    return ConfigurationFile.parse("test", text(one, addressOfOne));
  }

  String text(String one, String addressOfOne) {
    return """
    [control]
    socket = "%s"
    [[interface]]
    name = "%s"
    device = "ring:x"
    address = ["%s/24"]
    [[interface]]
    name = "two"
    device = "ring:x"
    address = ["10.0.0.2/24"]
    """
        .formatted(control, one, addressOfOne);
  }

  Daemon replace(String addressOfOne) throws Exception {
    return replace(configuration(addressOfOne));
  }

  Daemon replace(Configuration next) throws Exception {
    return replace(next, ReplacedDaemonsFixture::ports);
  }

  Daemon replace(Configuration next, ArrivingDaemon.Opening opening) throws Exception {
    ArrivingDaemon arriving = new ArrivingDaemon(next, opening, out());
    new Successor(control, arriving).takeOver();
    daemons.add(arriving.daemon());
    return arriving.daemon();
  }

  Rddp connect(String name) {
    return Rddp.connect(control, RddpOptions.defaults().withInterfaceName(name));
  }

  /** Two programs connect, send a message, and end. */
  void exchange() {
    try (ConnectedPrograms both = new ConnectedPrograms(connect("one"), connect("two"))) {
      MemoryRegion source = both.here.allocate(64);
      MemoryRegion sink = both.there.allocate(64, Access.LOCAL_WRITE);
      assertThat(both.in.postReceive(1, sink, 0, 64)).isTrue();
      assertThat(both.out.postSend(1, source, 0, 64)).isTrue();
      assertThat(ConnectedPrograms.completions(both.there, 1))
          .containsExactly("receive 1 SUCCESS 64");
    }
  }

  static long established(Daemon daemon) {
    return daemon.engines().stream().mapToLong(each -> each.tcp().counters().established).sum();
  }

  ProgramStream stream(StreamSession session, int port) throws IOException {
    InetSocketAddress to = new InetSocketAddress(TestDaemon.ADDRESS_TWO, port);
    return session.connect(to, InetAddress.getByName(ADDRESS_ONE), 0, ConnectedPrograms.TIMEOUT);
  }

  static DaemonMessage answer(ControlSocket program, ProgramMessage request) throws IOException {
    assertThat(program.send(request)).isTrue();
    PollSet poll = new PollSet();
    poll.add(program.descriptor());
    poll.await(ConnectedPrograms.TIMEOUT.toNanos());
    return program.receiveFromDaemon();
  }
}
