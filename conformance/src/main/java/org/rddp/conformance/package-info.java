/** Records which test shows which clause of the specifications, and generates the matrix. */
package org.rddp.conformance;
