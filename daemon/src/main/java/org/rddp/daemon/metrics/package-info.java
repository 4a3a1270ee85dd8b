/** Metrics for Prometheus, and the daemon's health, over HTTP. */
package org.rddp.daemon.metrics;
