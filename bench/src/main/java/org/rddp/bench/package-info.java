/**
 * The command {@code bin/rddp bench}: benchmarks with names of their own, and what they share.
 * JMH's are in {@link org.rddp.bench.layers}.
 *
 * <p>How one is added:
 *
 * <ol>
 *   <li>A class that extends {@link org.rddp.bench.report.NamedBenchmark}, with picocli's
 *       {@code @Command} and its name, listed in {@link org.rddp.bench.Benchmarks}. Its method
 *       {@code measure} fills a {@link org.rddp.bench.report.BenchmarkReport} with tables ({@link
 *       org.rddp.bench.report.ReportTable}), goals ({@link org.rddp.bench.report.Goal}), plots
 *       ({@link org.rddp.bench.report.Plot}) and raw histograms; printing, JSON and writing are
 *       done for it.
 *   <li>Its contenders are {@link org.rddp.bench.harness.Rig}s, each of which lives in a process of
 *       its own. A round of one is a {@link org.rddp.bench.harness.Sample}: figures by name, and a
 *       histogram where there are times.
 *   <li>A {@link org.rddp.bench.harness.Comparison} starts an {@link
 *       org.rddp.bench.harness.Contender} for each and runs tasks in interleaved rounds:
 *       <pre>{@code
 * try (Contest contest = new Contest(entrants, progress)) {
 *   contest.warmUp(task);
 *   Outcomes found = contest.run("writes of 1 MiB", task, quick() ? 3 : 11);
 *   report.conditions(found.title(), found.conditions());
 *   table.add("rddp", found.of("rddp").cell("gbps", 1), found.ratio("rddp", "kernel TCP", "gbps"));
 *   report.add(Goal.atLeast(4, "goodput", "beside kernel TCP", found.ratio(...)));
 * }
 * }</pre>
 *       A task is JSON, as the benchmark and its rigs agree. What cannot run says why, by {@link
 *       org.rddp.bench.harness.CannotRunException}, and stands in the tables with that.
 *   <li>What takes time in this process alone may use {@link
 *       org.rddp.bench.harness.InterleavedRounds}.
 *   <li>A section of docs/benchmarks.md with the two marks that {@link
 *       org.rddp.bench.report.GeneratedSection} looks for.
 * </ol>
 *
 * <p>With {@code --quick} a benchmark is done in less than a minute.
 */
package org.rddp.bench;
