/**
 * The process beside a daemon of IKE, such as strongSwan's charon: gives the security associations
 * that it puts into Linux's kernel (XFRM) to the daemon of rddp, and passes its datagrams between a
 * TUN and the daemon's interface.
 */
package org.rddp.mirror;
