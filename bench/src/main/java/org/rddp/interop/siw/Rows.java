package org.rddp.interop.siw;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.rddp.client.Listener;
import org.rddp.interop.siw.Perftest.Tool;
import org.rddp.ipc.PrivateData;

/** What the table consists of. */
final class Rows {
  private static final int FIRST_PORT = 7301;
  private static final int SECONDS = 60;
  private static final int MESSAGE = 16;
  private static final int LONGEST_PING = 65535;

  private final Guest guest;
  private final Path socket;
  private final List<Link> links;
  private final boolean quick;
  private int port = FIRST_PORT;

  Rows(Guest guest, Path socket, List<Link> links, boolean quick) {
    this.guest = guest;
    this.socket = socket;
    this.links = links;
    this.quick = quick;
  }

  /** Every tool in both roles over every link. */
  List<Row> all() {
    List<Row> rows = new ArrayList<>();
    for (Link link : links) {
      if (link.kind().equals("spoiled")) {
        continue;
      }
      rping(rows, link, quick ? 10 : 100, 64);
      rping(rows, link, quick ? 3 : 20, LONGEST_PING);
      for (Tool tool : Tool.values()) {
        int count = tool.bandwidth() ? (quick ? 5 : 50) : (quick ? 20 : 200);
        perftest(rows, link, new Perftest(tool, count, tool.bandwidth() ? 65536 : 64), tool);
      }
    }
    return rows;
  }

  private void rping(List<Row> rows, Link link, int count, int size) {
    String what = "rping, %d x %d octets, ".formatted(count, size);
    Rping rping = new Rping(count, size);
    rows.add(row(what, true, link, () -> rpingClient(rping, link, count, size)));
    rows.add(row(what, false, link, () -> rpingServer(rping, link, count, size)));
  }

  private static Row row(String what, boolean weOpen, Link link, Row.Talk talk) {
    return new Row(
        "%-32s %s  %s".formatted(what, weOpen ? "rddp -> siw" : "siw -> rddp", link), talk);
  }

  private void rpingClient(Rping rping, Link link, int count, int size) {
    int number = port++;
    CompletableFuture<Guest.Result> server =
        guest.start(
            0,
            SECONDS,
            "rping -s -a %s -p %d -C %d -S %d".formatted(link.guests(), number, count, size));
    try (Program program = new Program(socket, link.interfaceName())) {
      rping.client(program, program.connect(link.guest(number), PrivateData.NONE, MESSAGE));
    }
    server.join().orThrow();
  }

  private void rpingServer(Rping rping, Link link, int count, int size) {
    int number = port++;
    try (Program program = new Program(socket, link.interfaceName())) {
      Listener listener = program.listen(number);
      CompletableFuture<Guest.Result> client =
          guest.start(
              0,
              SECONDS,
              "rping -c -a %s -p %d -C %d -S %d -V".formatted(link.ours(), number, count, size));
      rping.server(program, listener);
      client.join().orThrow();
    }
  }

  private void perftest(List<Row> rows, Link link, Perftest perftest, Tool tool) {
    rows.add(row(tool.toString(), true, link, () -> perftestClient(perftest, link)));
    rows.add(row(tool.toString(), false, link, () -> perftestServer(perftest, link)));
  }

  private void perftestClient(Perftest perftest, Link link) {
    int number = port++;
    CompletableFuture<Guest.Result> server =
        guest.start(0, SECONDS, perftest.command(link, number));
    try (Program program = new Program(socket, link.interfaceName())) {
      perftest.client(program, link, number);
    }
    server.join().orThrow();
  }

  private void perftestServer(Perftest perftest, Link link) {
    int number = port++;
    try (Program program = new Program(socket, link.interfaceName())) {
      Listener listener = program.listen(number);
      CompletableFuture<Guest.Result> client =
          guest.start(0, SECONDS, perftest.command(link, number) + " " + link.ours());
      perftest.server(program, listener);
      client.join().orThrow();
    }
  }
}
