/** Frames of a running port, handed to another process without ever holding the engine up. */
package org.rddp.daemon.capture;
