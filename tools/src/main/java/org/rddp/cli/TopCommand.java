package org.rddp.cli;

import java.io.Console;
import java.io.IOException;
import java.util.Optional;
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
      "Show the connections of the running daemon and their rates, the busiest first, with totals,"
          + " and where tenants share the interfaces what each of them sends.",
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
            .run(() -> sample(daemon), session.socket().toString());
      }
      return 0;
    }
  }

  private static boolean isTerminal() {
    // Some versions of the JDK have no console where there is no terminal.
    boolean terminal = Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);
    String type = System.getenv("TERM");
    return terminal && type != null && !type.equals("dumb");
  }

  private TopSample sample(Rddp daemon) {
    return new TopSample(
        ListCommand.objects(daemon, ListSubject.CONNECTIONS, session),
        ListCommand.objects(daemon, ListSubject.TENANTS, session));
  }

  private int print(Rddp daemon) throws InterruptedException {
    TopFrame frame = new TopFrame();
    frame.sample(System.nanoTime(), sample(daemon));
    do {
      TimeUnit.MILLISECONDS.sleep((long) (interval * 1000));
      frame.sample(System.nanoTime(), sample(daemon));
      frame.lines(order).forEach(line -> Output.println(spec, line));
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
