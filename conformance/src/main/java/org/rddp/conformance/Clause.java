package org.rddp.conformance;

import java.util.regex.Pattern;

/**
 * One requirement of a specification: a row of {@code docs/clauses.tsv}.
 *
 * @param id its stable id, such as {@code MPA-4.1-01}
 * @param document the document, such as {@code RFC5044}
 * @param section its section
 * @param level {@code MUST}, {@code SHOULD}, {@code MAY}, {@code ADVICE} or {@code CLAIM}
 * @param requirement what it requires
 */
record Clause(String id, String document, String section, String level, String requirement) {
  /** An id. */
  static final Pattern ID = Pattern.compile("\\b[A-Z][A-Z0-9]*-[A-Za-z0-9.]+-[0-9]+[a-z]?\\b");
}
