/**
 * What the stacks of one interface share: listeners, port claims, hand-over queues, and counts. The
 * only part of the protocol that several threads use.
 */
package org.rddp.group;
