package org.rddp.daemon.engine;

/**
 * A session at one moment, for people and tools.
 *
 * @param connections connections that have not ended
 * @param listeners ports at which it listens
 * @param requests work requests that have been taken and have not completed
 * @param lastError the last failure of one of its connections; empty if there was none
 */
public record SessionStatus(int connections, int listeners, int requests, String lastError) {}
