/**
 * An MPA-aware TCP: whole FPDUs per segment, and no buffer between packet and user.
 *
 * <p>Packages of the module, each of which uses only those before it: tcp.congestion, tcp.loss,
 * tcp.storage, tcp.handshake, tcp. {@code ModuleBoundariesTest} checks the order.
 */
package org.rddp.tcp;
