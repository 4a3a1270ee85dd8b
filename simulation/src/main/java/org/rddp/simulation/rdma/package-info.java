/**
 * RDMAP between programs over bad networks: random work requests of both ends against a model of
 * their memory.
 */
package org.rddp.simulation.rdma;
