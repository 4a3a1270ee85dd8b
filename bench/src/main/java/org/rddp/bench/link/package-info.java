/**
 * A link that loses frames by a seed: two ports of DPDK and a thread that carries frames from each
 * to the other, in a process that contenders share, so that the kernel's TCP and rddp cross the
 * very same link. {@link org.rddp.bench.link.LossyLink} is the process, {@link
 * org.rddp.bench.link.LinkHandle} what others have of it.
 */
package org.rddp.bench.link;
