/** Captures of a running daemon's frames: filters, capture files, and their rotation. */
package org.rddp.capture;
