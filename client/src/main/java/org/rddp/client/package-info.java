/**
 * What a program uses: a session with the daemon, memory regions, connections and completions, in
 * the words of verbs. Begin with {@link org.rddp.client.Rddp}.
 */
package org.rddp.client;
