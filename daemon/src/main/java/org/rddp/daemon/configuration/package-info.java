/** Reads and checks {@code rddpd}'s configuration file. */
package org.rddp.daemon.configuration;
