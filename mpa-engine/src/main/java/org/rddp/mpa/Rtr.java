package org.rddp.mpa;

/**
 * The kinds of Ready to Receive (RTR): a zero-length message that an Initiator sends as its first
 * FPDU, so that the Responder's program may be the first to send (RFC 6581 sections 5 and 9.2). MPA
 * negotiates the kind; the layer above sends and recognises the message.
 *
 * <p>In a Responder's order of preference: an RDMA Write needs no answer and no buffer, an RDMA
 * Read needs an answer, and a Send may become visible to the peer's program.
 */
public enum Rtr {
  /** A zero-length RDMA Write: flag C. */
  WRITE,
  /** A zero-length RDMA Read: flag D. The Responder must be able to serve one. */
  READ,
  /** A zero-length Send: flag B. */
  SEND
}
