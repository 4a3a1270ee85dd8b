/**
 * The API of programs: sessions with the daemon, memory regions, connections and work requests,
 * named as in verbs. Start with {@link org.rddp.client.Rddp}.
 */
package org.rddp.client;
