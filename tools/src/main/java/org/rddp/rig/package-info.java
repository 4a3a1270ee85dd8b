/**
 * Rigs that measure what a round trip costs on this machine: between two cores, and over kernel
 * TCP. Their numbers stand beside rddp's own.
 */
package org.rddp.rig;
