/** {@code bin/rddp bench crc}: CRC32c by length, beside the JDK's, ISA-L's and memcpy. */
package org.rddp.bench.crc;
