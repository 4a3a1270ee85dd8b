/**
 * What a benchmark has found, and its ways out: text, JSON, a section of docs/benchmarks.md, plots
 * and raw data beside it.
 */
package org.rddp.bench.report;
