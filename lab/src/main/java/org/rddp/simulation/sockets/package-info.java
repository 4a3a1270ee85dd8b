/**
 * Simulates octet streams: engines of the daemon on two hosts, whose programs write, read, end and
 * hand on their streams, and compare each octet.
 */
package org.rddp.simulation.sockets;
