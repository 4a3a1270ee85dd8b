/**
 * The command {@code bin/rddp bench}, which runs the benchmarks listed in {@link
 * org.rddp.bench.Benchmarks}. JMH's benchmarks are in {@link org.rddp.bench.layers}.
 *
 * <p>To add a benchmark:
 *
 * <ol>
 *   <li>Extend {@link org.rddp.bench.report.NamedBenchmark}, annotate the class with picocli's
 *       {@code @Command} and a name, and list it in {@link org.rddp.bench.Benchmarks}. Its method
 *       {@code measure} fills a {@link org.rddp.bench.report.BenchmarkReport} with tables ({@link
 *       org.rddp.bench.report.ReportTable}), goals ({@link org.rddp.bench.report.Goal}), plots
 *       ({@link org.rddp.bench.report.Plot}) and raw histograms. Printing, JSON and writing are
 *       done for it.
 *   <li>Write its contenders as {@link org.rddp.bench.harness.Rig}s, each of which runs in a
 *       process of its own. A round of a rig returns a {@link org.rddp.bench.harness.Sample}:
 *       figures by name, and a histogram where there are times.
 *   <li>Run them in a {@link org.rddp.bench.harness.Comparison}, in interleaved rounds:
 *       <pre>{@code
 * try (Comparison comparison = new Comparison(contenders, progress)) {
 *   comparison.warmUp(task);
 *   ComparisonResult found = comparison.run("writes of 1 MiB", task, quick() ? 3 : 11);
 *   report.conditions(found.title(), found.conditions());
 *   table.add("rddp", found.of("rddp").cell("gbps", 1), found.ratio("rddp", "kernel TCP", "gbps"));
 *   report.add(Goal.atLeast(4, "goodput", "beside kernel TCP", found.ratio(...)));
 * }
 * }</pre>
 *       A task is JSON that the benchmark and its rigs agree on. A rig that cannot run throws
 *       {@link org.rddp.bench.harness.CannotRunException}, whose message then stands in the tables.
 *   <li>For work within this process alone use {@link org.rddp.bench.harness.InterleavedRounds}.
 *   <li>Add a section to docs/benchmarks.md with the two marks of {@link
 *       org.rddp.bench.report.GeneratedSection}.
 * </ol>
 *
 * <p>With {@code --quick} a benchmark takes less than a minute.
 */
package org.rddp.bench;
