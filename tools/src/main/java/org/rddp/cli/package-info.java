/** The command line: one class per command. */
package org.rddp.cli;
