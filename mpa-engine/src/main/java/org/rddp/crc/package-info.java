/** CRC32c (Castagnoli) over memory addresses. */
package org.rddp.crc;
