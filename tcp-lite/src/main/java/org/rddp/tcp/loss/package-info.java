/** What a connection has in flight: what is lost, when that is known, and what may be sent then. */
package org.rddp.tcp.loss;
