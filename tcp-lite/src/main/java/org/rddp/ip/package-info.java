/**
 * IPv4 and IPv6 on one interface: addresses, neighbours, routes, ICMP, reassembly and path MTUs.
 * What is of one family has it in its name, or the name of a protocol of that family.
 */
package org.rddp.ip;
