package org.rddp.mpa;

/**
 * The kinds of Ready to Receive (RTR): a message without octets that an Initiator sends of its own
 * accord, as its first FPDU, so that the Responder may be the first to send one of its program's
 * (RFC 6581 sections 5 and 9.2). MPA settles the kind; the layer above makes and knows the message.
 *
 * <p>In the order in which a Responder prefers them: an RDMA Write asks nothing of anybody, an RDMA
 * Read is answered, and a Send is a message that the program of a peer may see.
 */
public enum Rtr {
  /** A zero-length RDMA Write: flag C. */
  WRITE,
  /** A zero-length RDMA Read: flag D. The Responder must be able to serve one. */
  READ,
  /** A zero-length Send: flag B. */
  SEND
}
