package org.rddp.cli;

import com.google.gson.JsonObject;
import java.util.List;
import java.util.concurrent.Callable;
import org.rddp.client.Rddp;
import org.rddp.client.types.ListSubject;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code rddp errors}: shows the distinct errors of a running daemon. */
@Command(
    name = "errors",
    description = {
      "Show the distinct errors since the daemon was started: how often, when first and last, and"
          + " the last one as an example. Errors that differ only in numbers count as one.",
      "Root, the daemon's own user and its group see all, others those of their own programs."
    })
final class ErrorsCommand implements Callable<Integer> {
  @Mixin private SessionOptions session;

  @Option(
      names = "--json",
      description = "Print one JSON object for each error; docs/ipc.md has the keys.")
  private boolean json;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    List<JsonObject> errors;
    try (Rddp daemon = session.open("errors")) {
      errors = ListCommand.objects(daemon, ListSubject.ERRORS, session);
    }
    if (json) {
      errors.forEach(error -> Output.println(spec, error.toString()));
    } else if (errors.isEmpty()) {
      Output.println(spec, "no errors");
    } else {
      TextTable.ERRORS.lines(errors).forEach(line -> Output.println(spec, line));
    }
    return 0;
  }
}
