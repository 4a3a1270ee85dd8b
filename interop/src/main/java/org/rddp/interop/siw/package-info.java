/** rddp's daemon and programs with Linux's siw and its tools. */
package org.rddp.interop.siw;
