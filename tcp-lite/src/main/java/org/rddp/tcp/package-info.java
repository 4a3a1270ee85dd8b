/** An MPA-aware TCP: whole FPDUs per segment, no buffer of its own between packet and user. */
package org.rddp.tcp;
