/** Values that programs hold in their hands: access rights, completions, statuses and limits. */
package org.rddp.client.types;
