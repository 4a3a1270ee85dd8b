package org.rddp.cli;

import java.util.concurrent.Callable;
import org.rddp.client.Rddp;
import org.rddp.transfer.EchoServer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code rddp echo}: sends every message back. */
@Command(
    name = "echo",
    description = {
      "Send every message back to any peer that connects.",
      "The MPA Reply's private data is 20 octets in network order: STag (4), TO (8) and length (8)"
          + " of a 64 KiB buffer that the peer may write.",
      "Peers may send ahead and read late. As many are served as the session's limits allow (two"
          + " regions each); others are rejected, with the reason as private data.",
      "It also serves 'rddp perf', whose private data says what it needs: a buffer of another"
          + " size, Writes answered by Writes, or as many operations by this side."
    })
final class EchoCommand implements Callable<Integer> {
  @Mixin private SessionOptions session;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "7471",
      description = "Port to listen at (default: ${DEFAULT-VALUE}).")
  private int port;

  @Option(
      names = "--longest",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      defaultValue = "64KiB",
      description = "Length of the longest message (default: ${DEFAULT-VALUE}).")
  private long longest;

  @Option(
      names = "--perf-memory",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      defaultValue = "256MiB",
      description =
          "Memory for all peers together that measure with 'rddp perf'; 0: reject them"
              + " (default: ${DEFAULT-VALUE}).")
  private long perfMemory;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    OptionChecks.requirePort(spec, port);
    OptionChecks.require(
        spec, longest >= 1 && longest <= 16 << 20, "--longest is 1 to 16MiB, not " + longest);
    try (Rddp daemon = session.open("echo")) {
      new EchoServer(daemon, (int) longest, perfMemory, line -> Output.println(spec, line))
          .serve(port);
    }
    return 0;
  }
}
