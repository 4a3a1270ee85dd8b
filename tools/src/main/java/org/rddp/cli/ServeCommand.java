package org.rddp.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.rddp.client.Rddp;
import org.rddp.transfer.FileServer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rddp serve}: the file server for 'rddp put' and 'rddp get'. */
@Command(
    name = "serve",
    description = {
      "Receive files from 'rddp put', which writes into this program's memory, and send files to"
          + " 'rddp get', into whose memory this program writes. Clients are served at the same"
          + " time, each with a window of its own, as many as the session's limits allow."
    })
final class ServeCommand implements Callable<Integer> {
  @Mixin private SessionOptions session;

  @Mixin private WindowOption window;

  @Parameters(
      paramLabel = "DIRECTORY",
      arity = "0..1",
      defaultValue = ".",
      description = "Directory of the files (default: the current one).")
  private Path directory;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "7472",
      description = "Port to listen at (default: ${DEFAULT-VALUE}).")
  private int port;

  @Option(names = "--once", description = "End after one client.")
  private boolean once;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    OptionChecks.requirePort(spec, port);
    long octets = window.octets();
    OptionChecks.requireDirectory(spec, directory);
    try (Rddp daemon = session.open("serve")) {
      new FileServer(daemon, directory, octets, line -> Output.println(spec, line))
          .serve(port, once);
    }
    return 0;
  }
}
