/** Tests with other implementations of TCP and RDMA; the scripts in interop/ run them. */
package org.rddp.interop;
