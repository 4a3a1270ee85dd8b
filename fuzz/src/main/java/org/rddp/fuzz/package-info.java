/**
 * Targets of a coverage-guided fuzzer (Jazzer), each a class with a method {@code
 * fuzzerTestOneInput}. It must return for any input: an exception is a finding.
 */
package org.rddp.fuzz;
