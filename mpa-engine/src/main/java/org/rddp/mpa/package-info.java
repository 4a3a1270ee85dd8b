/** Marker PDU Aligned framing for TCP (RFC 5044): startup, FPDUs, receiver. */
package org.rddp.mpa;
