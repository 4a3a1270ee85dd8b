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

/** {@code rddp get}: a file out of a remote program. */
@Command(
    name = "get",
    description = "Have 'rddp serve' write a file into our memory, and keep it; SHA-256 checked.")
final class GetCommand implements Callable<Integer> {
  @Mixin private SessionOptions session;

  @Mixin private WindowOption window;

  @Parameters(index = "0", paramLabel = "NAME", description = "What the server calls it.")
  private String name;

  @Parameters(index = "1", paramLabel = "ADDRESS:PORT", description = "Where the server listens.")
  private RemoteAddress server;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "PATH",
      description = "The file to be made, or the folder to make it in; here if left out.")
  private Path output;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    long octets = window.octets();
    Path target = target();
    Path folder = target.toAbsolutePath().getParent();
    OptionChecks.require(spec, Files.isDirectory(folder), "there is no folder " + folder);
    String digest;
    try (Rddp daemon = session.open("get");
        TransferProgress progress = new TransferProgress("get " + name)) {
      FileClient client = new FileClient(daemon, server.toSocketAddress(), octets, progress::begin);
      digest = client.get(name, target);
    }
    Output.println(spec, digest + "  " + target);
    return 0;
  }

  private Path target() {
    Path plain = Path.of(name).getFileName();
    OptionChecks.require(spec, plain != null, "'" + name + "' is no name of a file");
    if (output == null) {
      return plain;
    }
    return Files.isDirectory(output) ? output.resolve(plain) : output;
  }
}
