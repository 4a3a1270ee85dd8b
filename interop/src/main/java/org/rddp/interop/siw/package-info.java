/** rddp's daemon and programs with Linux's siw, and the tools that come with it. */
package org.rddp.interop.siw;
