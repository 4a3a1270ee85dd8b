/** What {@code rddpd} is told: the configuration file, checked to the last key. */
package org.rddp.daemon.configuration;
