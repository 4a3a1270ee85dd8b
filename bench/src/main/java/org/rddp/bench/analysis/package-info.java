/**
 * {@code bin/rddp bench analysis}: the figures of {@link org.rddp.analysis} as tables, and what a
 * received FPDU costs.
 */
package org.rddp.bench.analysis;
