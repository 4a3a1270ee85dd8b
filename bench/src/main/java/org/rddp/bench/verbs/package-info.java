/** Unmodified RDMA programs over rddp, beside the same pattern by rddp's own clients. */
package org.rddp.bench.verbs;
