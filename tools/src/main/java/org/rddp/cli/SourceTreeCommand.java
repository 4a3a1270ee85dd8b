package org.rddp.cli;

/** A command of the script bin/rddp that only a source tree has, not an installed copy. */
abstract class SourceTreeCommand extends ScriptCommand {}
