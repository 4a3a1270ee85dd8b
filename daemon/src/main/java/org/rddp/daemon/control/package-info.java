/**
 * The daemon's side towards programs: the control socket, who is connected, what each may use, and
 * the memory that is shared with them. One thread, which never touches a packet.
 */
package org.rddp.daemon.control;
