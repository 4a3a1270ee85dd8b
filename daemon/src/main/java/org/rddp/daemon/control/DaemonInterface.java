package org.rddp.daemon.control;

import org.rddp.daemon.engine.Engine;
import org.rddp.dpdk.device.CapturePoint;

/**
 * An interface of the daemon that programs choose by name.
 *
 * @param name name in the configuration
 * @param engine engine of the interface
 * @param capture source of captured frames
 */
public record DaemonInterface(String name, Engine engine, CapturePoint capture) {}
