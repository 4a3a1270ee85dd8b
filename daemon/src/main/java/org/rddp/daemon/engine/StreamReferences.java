package org.rddp.daemon.engine;

import org.rddp.snapshot.References;
import org.rddp.tcp.TcpConnection;

/**
 * What octet streams refer to in a snapshot.
 *
 * @param connections of TCP
 * @param listeners of all programs
 */
record StreamReferences(
    References<TcpConnection> connections, References<StreamListener> listeners) {}
