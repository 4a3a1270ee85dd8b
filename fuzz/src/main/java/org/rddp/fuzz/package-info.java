/**
 * Targets of a fuzzer that watches coverage (Jazzer), each a class with a method {@code
 * fuzzerTestOneInput}. Whatever octets it is given, it must return: what it throws is a finding.
 */
package org.rddp.fuzz;
