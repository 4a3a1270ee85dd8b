package org.rddp.cli;

import java.io.IOException;
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

/** {@code rddp put}: sends a file to {@code rddp serve}. */
@Command(
    name = "put",
    description =
        "Send a file by RDMA Writes to 'rddp serve', which stores it, and check its SHA-256.")
final class PutCommand implements Callable<Integer> {
  @Mixin private SessionOptions session;

  @Mixin private WindowOption window;

  @Parameters(index = "0", paramLabel = "FILE", description = "The file to send.")
  private Path file;

  @Parameters(index = "1", paramLabel = "ADDRESS:PORT", description = "Address of the server.")
  private RemoteAddress server;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "Name of the file at the server (default: the file's own name).")
  private String name;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    long octets = window.octets();
    OptionChecks.requireFile(spec, file);
    String kept = name == null ? file.getFileName().toString() : name;
    String digest;
    try (Rddp daemon = session.open("put", server);
        TransferProgress progress = new TransferProgress("put " + kept)) {
      FileClient client = new FileClient(daemon, server.host(), octets, progress::begin);
      digest = client.put(file, kept);
    }
    Output.println(spec, digest + "  " + kept);
    return 0;
  }
}
