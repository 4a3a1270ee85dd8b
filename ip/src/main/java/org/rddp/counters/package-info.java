/** How classes of counters say what their fields are called. */
package org.rddp.counters;
