/** rddp in a virtual machine on emulated network cards, with real drivers. */
package org.rddp.interop.nic;
