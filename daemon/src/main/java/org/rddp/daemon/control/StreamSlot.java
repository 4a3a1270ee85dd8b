package org.rddp.daemon.control;

import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.StreamSection;

/**
 * What a program's octet stream takes of its quotas.
 *
 * @param program whose stream it is
 * @param section of the doorbells
 * @param index of its bit there
 * @param number of the stream in the daemon
 */
record StreamSlot(ProgramSockets program, StreamSection section, int index, long number) {
  Engine engine() {
    return section.engine();
  }
}
