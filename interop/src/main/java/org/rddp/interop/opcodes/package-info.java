/** Every message that RDMAP has, in captures for another decoder to read. */
package org.rddp.interop.opcodes;
