/**
 * {@code bin/rddp bench analysis}: the figures of the analysis of MPA over TCP (RFC 5044 appendix B
 * and draft-elzur-iwarp-mpa-tcp-analysis-00), measured.
 */
package org.rddp.bench.analysis;
