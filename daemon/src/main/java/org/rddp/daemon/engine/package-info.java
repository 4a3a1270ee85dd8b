/** The engine: one thread's turns over ports, connections and the rings of programs. */
package org.rddp.daemon.engine;
