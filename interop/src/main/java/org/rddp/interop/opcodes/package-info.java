/** Captures of every RDMAP message, for Wireshark's decoder to read. */
package org.rddp.interop.opcodes;
