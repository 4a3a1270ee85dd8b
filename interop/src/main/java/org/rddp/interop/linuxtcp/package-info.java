/** Transfers between rddp's TCP and Linux's. */
package org.rddp.interop.linuxtcp;
