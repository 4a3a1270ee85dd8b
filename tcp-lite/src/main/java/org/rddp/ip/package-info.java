/** IPv4 on one interface: addresses, neighbours, ICMP, and the way to the transport above. */
package org.rddp.ip;
