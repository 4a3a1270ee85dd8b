/**
 * IPv4 and IPv6 on one interface: addresses, neighbours, routes, ICMP, reassembly and path MTUs.
 * Classes for one family have its name, or that of one of its protocols, in their name.
 */
package org.rddp.ip;
