package org.rddp.daemon.control;

import org.rddp.daemon.engine.Engine;
import org.rddp.device.CapturePoint;

/**
 * An interface of the daemon that programs choose by name.
 *
 * @param name name in the configuration
 * @param engine engine of the interface
 * @param connections most connections at a time
 * @param capture source of captured frames
 */
public record DaemonInterface(String name, Engine engine, int connections, CapturePoint capture) {}
