package org.rddp.cli;

import com.google.gson.JsonObject;
import java.io.Console;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.rddp.client.Rddp;
import org.rddp.client.types.ListSubject;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code rddp top}: shows the connections of a running daemon and their rates, live. */
@Command(
    name = "top",
    description = {
      "Show the connections of the running daemon and their rates, the busiest first, with totals.",
      "On a terminal the keys are q to end and s to sort by the next column; otherwise the same lines"
          + " are printed again and again. Root, the daemon's own user and its group see the"
          + " connections of all users, others their own."
    })
final class TopCommand implements Callable<Integer> {
  @Mixin private SessionOptions session;

  @Option(
      names = "--interval",
      paramLabel = "SECONDS",
      defaultValue = "1",
      description = "Seconds between two samples (default: ${DEFAULT-VALUE}).")
  private double interval;

  @Option(
      names = "--sort",
      paramLabel = "COLUMN",
      defaultValue = "rate",
      description =
          "Sort by one of: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}). The rate is that of"
              + " octets sent and received.")
  private TopOrder order;

  @Option(names = "--once", description = "Print the rates of one interval and end.")
  private boolean once;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException, InterruptedException {
    OptionChecks.require(
        spec, interval >= 0.1 && interval <= 3600, "--interval is 0.1 to 3600, not " + interval);
    try (Rddp daemon = session.open("top")) {
      if (once || !isTerminal()) {
        return print(daemon);
      }
      try (Terminal terminal = TerminalBuilder.builder().system(true).build()) {
        new TopScreen(terminal, (long) (interval * 1000), order)
            .run(() -> connections(daemon), session.socket().toString());
      }
      return 0;
    }
  }

  private static boolean isTerminal() {
    Console console = System.console();
    String type = System.getenv("TERM");
    return console.isTerminal() && type != null && !type.equals("dumb");
  }

  private List<JsonObject> connections(Rddp daemon) {
    return ListCommand.objects(daemon, ListSubject.CONNECTIONS, session);
  }

  private int print(Rddp daemon) throws InterruptedException {
    ConnectionRates rates = new ConnectionRates();
    rates.sample(System.nanoTime(), connections(daemon));
    do {
      TimeUnit.MILLISECONDS.sleep((long) (interval * 1000));
      rates.sample(System.nanoTime(), connections(daemon));
      TopFrame.lines(rates, order).forEach(line -> Output.println(spec, line));
      if (spec.commandLine().getOut().checkError()) {
        return Output.READER_ENDED;
      }
      if (!once) {
        Output.println(spec, "");
      }
    } while (!once);
    return 0;
  }
}
