package org.rddp.cli;

/**
 * A command that only a source tree has, not an installed copy: listed here, carried out by
 * bin/rddp, since it builds first, needs another module or must work without Java.
 */
final class SourceTreeCommand extends ScriptCommand {}
