/**
 * A daemon under programs that transfer, misbehave, stop and are killed, and the accounts of what
 * is left afterwards.
 */
package org.rddp.soak;
