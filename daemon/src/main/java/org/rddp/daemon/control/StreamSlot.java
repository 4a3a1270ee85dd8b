package org.rddp.daemon.control;

import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.StreamSection;
import org.rddp.ip.HostAddress;

/** What a program's octet stream takes of its quotas. Control thread only. */
final class StreamSlot {
  /** A local port towards a port of a peer: at most one stream of an interface has it. */
  record Claim(String interfaceName, int localPort, HostAddress remote, int remotePort) {}

  private final ProgramSockets program;
  private final StreamSection section;
  private final int index;
  private final Claim claim;
  private long octets;

  /**
   * Creates the slot of a stream.
   *
   * @param program whose stream it is
   * @param section of the doorbells
   * @param index of its bit there
   * @param claim local port that the program has chosen towards a peer; null for none
   * @param octets of memory
   */
  StreamSlot(ProgramSockets program, StreamSection section, int index, Claim claim, long octets) {
    this.program = program;
    this.section = section;
    this.index = index;
    this.claim = claim;
    this.octets = octets;
  }

  ProgramSockets program() {
    return program;
  }

  StreamSection section() {
    return section;
  }

  int index() {
    return index;
  }

  Claim claim() {
    return claim;
  }

  Engine engine() {
    return section.engine();
  }

  /** Octets of memory. */
  long octets() {
    return octets;
  }

  /** It has more memory from now on, or less. */
  void add(long more) {
    octets += more;
  }
}
