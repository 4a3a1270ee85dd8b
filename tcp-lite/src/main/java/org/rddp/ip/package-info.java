/** IPv4 on one interface: addresses, ARP, ICMP, reassembly and path MTUs. */
package org.rddp.ip;
