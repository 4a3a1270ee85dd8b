package org.rddp.daemon;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.Listener;
import org.rddp.client.Rddp;
import org.rddp.ipc.Completion;
import org.rddp.ipc.Opcode;
import org.rddp.ipc.PrivateData;

/** A daemon and two programs, one on each of its interfaces, with a connection. */
final class ConnectedPrograms implements AutoCloseable {
  static final Duration PATIENCE = Duration.ofSeconds(10);
  static final int PORT = 7471;
  static final InetSocketAddress TWO = new InetSocketAddress("10.0.0.2", PORT);

  final TestDaemon daemon = new TestDaemon();
  final Rddp here = daemon.connect("one");
  final Rddp there = daemon.connect("two");
  final Connection out;
  final Connection in;

  ConnectedPrograms() {
    Listener listener = there.listen(PORT);
    CompletableFuture<Connection> accepted =
        CompletableFuture.supplyAsync(() -> listener.await(PATIENCE).accept());
    out = here.connect(TWO, PrivateData.NONE, PATIENCE, ConnectionOptions.DEFAULTS);
    in = accepted.join();
  }

  /** The next completions of a program, one line each. */
  static List<String> completions(Rddp session, int number) {
    List<String> lines = new ArrayList<>();
    TestDaemon.await(
        () -> {
          session.poll(completion -> lines.add(line(completion)), number - lines.size());
          return lines.size() == number;
        },
        number + " completions have come");
    return lines;
  }

  private static String line(Completion completion) {
    return "%s %d %s %d"
        .formatted(
            Opcode.name(completion.opcode()),
            completion.id(),
            completion.status(),
            completion.octets());
  }

  @Override
  public void close() {
    here.close();
    there.close();
    daemon.close();
  }
}
