/** Programs to begin with. Each is explained at the top of its class. */
package org.rddp.examples;
