package org.rddp.bench.layers;

import java.util.SplittableRandom;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.rddp.dpdk.device.NativeCiphers;
import org.rddp.ip.esp.EspCipher;
import org.rddp.ip.esp.EspSuite;
import org.rddp.ip.esp.JceCiphers;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Memory;

/** What it takes to seal a packet of ESP, and to open one, by libipsec-mb and by the JDK. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
public class EspBenchmark extends LayerBenchmark {
  private static final int SPI = 0x1000;

  /** Encryption and integrity. */
  @Param({"AES128_GCM16", "AES256_GCM16", "AES128_SHA256", "NULL_SHA1"})
  private EspSuite suite;

  /** Octets of payload: a short message, and full packets of MTUs of 1500 and 9000 octets. */
  @Param({"64", "1446", "8946"})
  private int length;

  /** Whether AES-GCM is computed by libipsec-mb, if that is there; otherwise by the JDK. */
  @Param({"true", "false"})
  private boolean library;

  private EspCipher cipher;
  private long payload;
  private long sealed;
  private long kept;
  private int whole;
  private long sequence;

  /** Makes keys and a packet. */
  @Setup
  public void fill() {
    SplittableRandom random = new SplittableRandom(length);
    byte[] keys = new byte[suite.keyOctets()];
    random.nextBytes(keys);
    cipher = (library ? new NativeCiphers() : new JceCiphers()).cipher(suite, true, keys);
    whole = suite.sealedLength(length);
    payload = Memory.allocate(length);
    sealed = Memory.allocate(whole);
    kept = Memory.allocate(whole);
    for (int i = 0; i < length; i++) {
      Memory.putByte(payload + i, random.nextInt());
    }
    cipher.seal(payload, length, Ipv4.PROTOCOL_TCP, SPI, ++sequence, kept);
  }

  /** Seals into another packet. */
  @Benchmark
  public long seal() {
    cipher.seal(payload, length, Ipv4.PROTOCOL_TCP, SPI, ++sequence, sealed);
    return sealed;
  }

  /** Copies a sealed packet, and opens it in place. */
  @Benchmark
  public int open() {
    Memory.copy(kept, sealed, whole);
    return cipher.open(sealed, whole, 1);
  }
}
