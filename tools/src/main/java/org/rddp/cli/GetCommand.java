package org.rddp.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.rddp.client.Rddp;
import org.rddp.transfer.FileClient;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rddp get}: fetches a file from {@code rddp serve}. */
@Command(
    name = "get",
    description = "Fetch a file, which 'rddp serve' sends by RDMA Writes, and check its SHA-256.")
final class GetCommand implements Callable<Integer> {
  @Mixin private SessionOptions session;

  @Mixin private WindowOption window;

  @Parameters(index = "0", paramLabel = "NAME", description = "Name of the file at the server.")
  private String name;

  @Parameters(index = "1", paramLabel = "ADDRESS:PORT", description = "Address of the server.")
  private RemoteAddress server;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "PATH",
      description =
          "File to write, or directory to write NAME to (default: the current directory).")
  private Path output;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    long octets = window.octets();
    Path target = target();
    Path folder = target.toAbsolutePath().getParent();
    OptionChecks.requireDirectory(spec, folder);
    String digest;
    try (Rddp daemon = session.open("get", server);
        TransferProgress progress = new TransferProgress("get " + name)) {
      FileClient client = new FileClient(daemon, server.host(), octets, progress::begin);
      digest = client.get(name, target);
    }
    Output.println(spec, digest + "  " + target);
    return 0;
  }

  private Path target() {
    Path plain = Path.of(name).getFileName();
    OptionChecks.require(spec, plain != null, "'" + name + "' is not a file name");
    if (output == null) {
      return plain;
    }
    return Files.isDirectory(output) ? output.resolve(plain) : output;
  }
}
