package org.rddp.cli;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.rddp.client.Rddp;
import org.rddp.demo.VerifiedTransfer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code rddp demo-sink}: the demo's receiving program. */
@Command(name = "demo-sink", hidden = true, description = "The demo's receiving program.")
final class DemoSinkCommand implements Callable<Integer> {
  @Mixin private SessionOptions session;

  @Option(names = "--port", description = "Port to listen at.")
  private int port;

  @Option(
      names = "--size",
      converter = SizeConverter.class,
      description = "Size of the transfer in octets.")
  private long size;

  @Option(names = "--seed", description = "Seed of the data pattern.")
  private long seed;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    try (Rddp daemon = session.open("demo sink")) {
      VerifiedTransfer transfer =
          new VerifiedTransfer(daemon, seed, Duration.ZERO, Duration.ofSeconds(30));
      String problem = transfer.receive(port, size, () -> Output.println(spec, "listening"));
      JsonObject result = new JsonObject();
      result.addProperty("verified", problem == null);
      if (problem != null) {
        result.addProperty("problem", problem);
      }
      Output.println(spec, result.toString());
      return problem == null ? 0 : 1;
    }
  }
}
