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

/** {@code rddp put}: a file into a remote program. */
@Command(
    name = "put",
    description = "Write a file into the memory of 'rddp serve', which keeps it; SHA-256 checked.")
final class PutCommand implements Callable<Integer> {
  @Mixin private SessionOptions session;

  @Mixin private WindowOption window;

  @Parameters(index = "0", paramLabel = "FILE", description = "The file.")
  private Path file;

  @Parameters(index = "1", paramLabel = "ADDRESS:PORT", description = "Where the server listens.")
  private RemoteAddress server;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "What the server calls it; the file's own name if left out.")
  private String name;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    long octets = window.octets();
    OptionChecks.require(spec, Files.isRegularFile(file), "there is no file " + file);
    String kept = name == null ? file.getFileName().toString() : name;
    String digest;
    try (Rddp daemon = session.open("put");
        TransferProgress progress = new TransferProgress("put " + kept)) {
      FileClient client = new FileClient(daemon, server.toSocketAddress(), octets, progress::begin);
      digest = client.put(file, kept);
    }
    Output.println(spec, digest + "  " + kept);
    return 0;
  }
}
