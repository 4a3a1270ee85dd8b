package org.rddp.daemon.control;

import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.StreamSection;
import org.rddp.ip.HostAddress;

/**
 * What a program's octet stream takes of its quotas.
 *
 * @param program whose stream it is
 * @param section of the doorbells
 * @param index of its bit there
 * @param claim local port that the program has chosen towards a peer; null for none
 */
record StreamSlot(ProgramSockets program, StreamSection section, int index, Claim claim) {
  /** A local port towards a port of a peer: at most one stream of an interface has it. */
  record Claim(String interfaceName, int localPort, HostAddress remote, int remotePort) {}

  Engine engine() {
    return section.engine();
  }
}
