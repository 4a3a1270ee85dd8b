/**
 * Files from one program into another's memory, and the echo that any peer can be tried against.
 */
package org.rddp.transfer;
