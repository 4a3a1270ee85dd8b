/**
 * What the stacks of one interface share: who listens at a port and who has claimed it, what one
 * stack hands over to another, and counts. The only part of the protocol that several threads use.
 */
package org.rddp.group;
