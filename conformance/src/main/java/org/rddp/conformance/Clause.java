package org.rddp.conformance;

/**
 * One requirement of a specification: a row of {@code docs/clauses.tsv}.
 *
 * @param id its stable name, such as {@code MPA-4.1-01}
 * @param document where it stands, such as {@code RFC5044}
 * @param section the section of the document
 * @param level {@code MUST}, {@code SHOULD}, {@code MAY}, {@code ADVICE} or {@code CLAIM}
 * @param requirement what is required
 */
record Clause(String id, String document, String section, String level, String requirement) {}
