/** What an installed copy has beside the commands, generated from them. */
package org.rddp.packaging;
