/** The daemon's log and its distinct errors. */
package org.rddp.daemon.log;
