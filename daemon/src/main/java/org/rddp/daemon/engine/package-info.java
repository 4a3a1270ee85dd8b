/** The engine: the duty cycle of one thread over a port, its connections and programs' rings. */
package org.rddp.daemon.engine;
