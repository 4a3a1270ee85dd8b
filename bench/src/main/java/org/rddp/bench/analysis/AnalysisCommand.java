package org.rddp.bench.analysis;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bin/rddp bench analysis}. */
@Command(
    name = "analysis",
    description = "The analysis of MPA over TCP (RFC 5044 appendix B) as measured figures.",
    mixinStandardHelpOptions = true)
public final class AnalysisCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(names = "--quick", description = "Fewer connections and FPDUs: some seconds.")
  private boolean quick;

  @Option(names = "--json", description = "Print one JSON object instead of tables.")
  private boolean json;

  @Option(
      names = "--write",
      paramLabel = "FILE",
      description = "Put the tables into this file, between its two marks, instead of printing.")
  private Path file;

  /** For picocli. */
  public AnalysisCommand() {}

  @Override
  public Integer call() throws IOException {
    GeneratedSection section = new GeneratedSection("bench analysis");
    if (file != null) {
      if (json) {
        throw new ParameterException(
            spec.commandLine(), "--json prints and --write does not: choose one");
      }
      section.check(file);
    }
    List<Table> tables = Analysis.tables(quick);
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      JsonObject all = new JsonObject();
      tables.forEach(table -> all.add(table.name(), table.json()));
      out.println(new GsonBuilder().setPrettyPrinting().create().toJson(all));
    } else if (file != null) {
      section.replace(file, Analysis.markdown(tables));
      out.println("written to " + file);
    } else {
      out.print(Analysis.markdown(tables));
    }
    out.flush();
    return 0;
  }
}
