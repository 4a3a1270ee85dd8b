/** rddp's ESP and that of Linux, under siw and its tools. */
package org.rddp.interop.esp;
