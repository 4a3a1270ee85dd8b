/**
 * The figures of the analysis of MPA over TCP (RFC 5044 appendix B and
 * draft-elzur-iwarp-mpa-tcp-analysis-00), in virtual time and from fixed seeds.
 */
package org.rddp.analysis;
