/** Memory that peers may access: STags, access rights, protection domains and scatter lists. */
package org.rddp.ddp.memory;
