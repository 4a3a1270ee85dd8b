package org.rddp.crc;

/**
 * Arithmetic modulo the CRC32c polynomial, for combining CRCs of parts: appending n octets to a
 * message multiplies its CRC by x^(8n).
 *
 * <p>Polynomials are bit-reflected, as the CRC is: the top bit is the coefficient of x^0.
 */
final class Polynomial {
  /** x^32 modulo P, reflected: the polynomial without its leading term. */
  // MPA-4.4-12: "MUST be computed using the CRC32c polynomial"
  static final int CASTAGNOLI = 0x82f63b78;

  private static final int ONE = 0x80000000;

  /** x^(8n) for n below 256. */
  private static final int[] OCTETS = powers(multiplied(ONE, 8));

  /** x^(8 * 256 * n) for n below 256. */
  private static final int[] PAGES = powers(multiply(OCTETS[255], OCTETS[1]));

  private Polynomial() {}

  private static int[] powers(int base) {
    int[] powers = new int[256];
    powers[0] = ONE;
    for (int n = 1; n < powers.length; n++) {
      powers[n] = multiply(powers[n - 1], base);
    }
    return powers;
  }

  /** {@code value} times x^{@code bits}. */
  private static int multiplied(int value, int bits) {
    int product = value;
    for (int i = 0; i < bits; i++) {
      product = timesX(product);
    }
    return product;
  }

  private static int timesX(int value) {
    return (value >>> 1) ^ (CASTAGNOLI & -(value & 1));
  }

  /** The product of two polynomials modulo P. */
  static int multiply(int a, int b) {
    int product = 0;
    int shifted = b;
    for (int rest = a; rest != 0; rest <<= 1) {
      product ^= shifted & (rest >> 31);
      shifted = timesX(shifted);
    }
    return product;
  }

  /** {@code value} times x^(8 {@code octets}) modulo P. */
  static int shift(int value, long octets) {
    int shifted = multiply(value, OCTETS[(int) octets & 255]);
    long pages = octets >>> 8;
    return multiply(shifted, pages < 256 ? PAGES[(int) pages] : power(PAGES[1], pages));
  }

  private static int power(int base, long exponent) {
    int result = ONE;
    int square = base;
    for (long rest = exponent; rest != 0; rest >>= 1) {
      if ((rest & 1) != 0) {
        result = multiply(result, square);
      }
      square = multiply(square, square);
    }
    return result;
  }
}
