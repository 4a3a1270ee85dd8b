package org.rddp.lab;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import org.rddp.cli.Output;
import org.rddp.client.Rddp;
import org.rddp.client.RddpException;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.soak.SoakProgram;
import org.rddp.soak.SoakSink;
import org.rddp.soak.SoakSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rddp soak-program}: a program of the soak. Ends with its standard input. */
@Command(name = "soak-program", hidden = true, description = "A program of the soak.")
final class SoakProgramCommand implements Callable<Integer> {
  @Option(names = "--socket", required = true, description = "The daemon's control socket.")
  private Path socket;

  @Option(names = "--port", description = "The port of a sink; without it, a source.")
  private int port;

  @Option(names = "--seed", description = "Decides what a source does.")
  private long seed;

  @Option(names = "--sinks", description = "The address at which sinks listen.")
  private InetAddress sinks;

  @Parameters(description = "The ports of the sinks.")
  private List<Integer> ports = List.of();

  @Spec private CommandSpec spec;

  private final AtomicBoolean stop = new AtomicBoolean();

  @Override
  public Integer call() throws IOException {
    Thread.ofPlatform().daemon().name("standard input").start(this::awaitEndOfInput);
    try {
      if (port > 0) {
        serve();
      } else {
        List<InetSocketAddress> addresses =
            ports.stream().map(each -> new InetSocketAddress(sinks, each)).toList();
        new SoakSource(socket, addresses, seed, this::print).act(stop::get);
      }
    } catch (RddpException | SystemCallException e) {
      // The daemon is ended on purpose, too.
      if (!SoakProgram.isLost(e)) {
        throw e;
      }
    }
    return 0;
  }

  private void serve() {
    try (Rddp session = SoakProgram.open(socket, "two")) {
      new SoakSink(session, port, this::print).serve(stop::get);
    }
  }

  private void print(String line) {
    Output.println(spec, line);
  }

  private void awaitEndOfInput() {
    try {
      while (System.in.read() >= 0) {
        // Only the end of the input matters.
      }
    } catch (IOException e) {
      // A failed read is the end, too.
    }
    stop.set(true);
  }
}
