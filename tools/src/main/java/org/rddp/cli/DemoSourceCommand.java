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
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rddp demo-source}: the demo's writing program. */
@Command(name = "demo-source", hidden = true, description = "The demo's writing program.")
final class DemoSourceCommand implements Callable<Integer> {
  @Mixin private SessionOptions session;

  @Parameters(paramLabel = "ADDRESS:PORT", description = "Address of the receiving program.")
  private RemoteAddress sink;

  @Option(
      names = "--size",
      converter = SizeConverter.class,
      description = "Size of the transfer in octets.")
  private long size;

  @Option(names = "--seed", description = "Seed of the data pattern.")
  private long seed;

  @Option(names = "--warm-up", description = "Seconds of writing that are not measured.")
  private int warmUp;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    try (Rddp daemon = session.open("demo source", sink)) {
      VerifiedTransfer transfer =
          new VerifiedTransfer(daemon, seed, Duration.ofSeconds(warmUp), Duration.ofSeconds(30));
      JsonObject result = new JsonObject();
      result.addProperty("nanos", transfer.send(sink.host(), size));
      Output.println(spec, result.toString());
      return 0;
    }
  }
}
