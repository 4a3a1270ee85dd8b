/**
 * Value types of the programs' API that rings and control messages use, too: access rights,
 * opcodes, completions, reasons and limits.
 */
package org.rddp.client.types;
