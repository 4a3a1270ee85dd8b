package org.rddp.bench.layers;

import java.util.SplittableRandom;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.rddp.crc.Crc32c;
import org.rddp.crc.IntrinsicCrc32c;
import org.rddp.crc.ScalarCrc32c;
import org.rddp.wire.Checksum;
import org.rddp.wire.Memory;

/** CPU time of TCP's checksum and of each implementation of MPA's CRC32c. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
public class IntegrityBenchmark extends LayerBenchmark {
  /** Octets: a short message, an FPDU of a 1500-octet MTU, and one of a 9000-octet MTU. */
  @Param({"64", "1460", "8960"})
  private int length;

  private final Crc32c intrinsic = new IntrinsicCrc32c();
  private final Crc32c scalar = new ScalarCrc32c();
  private long address;

  /** Fills the octets at random. */
  @Setup
  public void fill() {
    address = Memory.allocate(length);
    SplittableRandom random = new SplittableRandom(length);
    for (int i = 0; i < length; i++) {
      Memory.putByte(address + i, random.nextInt());
    }
  }

  /** The Internet checksum, of RFC 1071. */
  @Benchmark
  public long checksum() {
    return Checksum.sum(address, length);
  }

  /** CRC32c by the JVM's intrinsic. */
  @Benchmark
  public int intrinsicCrc32c() {
    return intrinsic.update(0, address, length);
  }

  /** CRC32c by tables. */
  @Benchmark
  public int scalarCrc32c() {
    return scalar.update(0, address, length);
  }
}
