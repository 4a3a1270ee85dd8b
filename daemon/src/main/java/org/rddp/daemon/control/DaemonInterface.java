package org.rddp.daemon.control;

import org.rddp.daemon.engine.Engine;
import org.rddp.device.CapturePoint;

/**
 * An interface as programs choose it.
 *
 * @param name what programs call it
 * @param engine what drives it
 * @param capture where its frames can be copied from
 */
public record DaemonInterface(String name, Engine engine, CapturePoint capture) {}
