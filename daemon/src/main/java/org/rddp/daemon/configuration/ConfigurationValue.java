package org.rddp.daemon.configuration;

/**
 * What a key means.
 *
 * @param meaning its value, or the default where the file does not have it; null if it has none
 * @param live whether a running daemon applies another value at SIGHUP
 */
public record ConfigurationValue(Object meaning, boolean live) {}
