/** Programs in a virtual machine, and programs of rddp on the host that speak with them. */
package org.rddp.interop.guest;
