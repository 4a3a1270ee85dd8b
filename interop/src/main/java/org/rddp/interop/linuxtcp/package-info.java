/** rddp's TCP against Linux's, over veth and tap. */
package org.rddp.interop.linuxtcp;
