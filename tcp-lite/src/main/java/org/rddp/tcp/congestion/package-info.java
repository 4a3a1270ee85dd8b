/** Congestion control: CUBIC, NewReno, or none. */
package org.rddp.tcp.congestion;
