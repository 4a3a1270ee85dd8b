/** Which clause of the specifications is shown by which test. */
package org.rddp.conformance;
