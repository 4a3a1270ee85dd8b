package org.rddp.simulation.programs;

/**
 * What is simulated, and how much of it in a run.
 *
 * @param plainDdp share of the connections whose programs speak plain DDP, 0 to 1
 * @param least requests of the shortest run, about
 * @param most requests of the longest run, about
 * @param octets limit of all that is sent in a run, about
 */
record Scope(double plainDdp, double least, double most, double octets) {
  static final Scope RDMAP = new Scope(0, 550, 3600, 4e6);
  static final Scope PROGRAMS = new Scope(0.3, 60, 480, 1.5e6);
}
