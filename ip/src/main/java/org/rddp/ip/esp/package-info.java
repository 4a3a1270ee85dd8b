/**
 * What ESP (RFC 4303) does to one packet: ciphers, integrity, sequence numbers, and the window that
 * detects replayed packets. It knows nothing of addresses and policies.
 */
package org.rddp.ip.esp;
