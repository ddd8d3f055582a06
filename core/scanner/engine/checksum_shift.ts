/** The polynomial of CRC-32, its bits reversed (RFC 1952, 8). */
const POLYNOMIAL = 0xedb88320;
/** The polynomial x^0, its bits reversed. */
const ONE = 0x80000000;
/** The polynomial x^8: the effect of one byte. */
const X8 = 0x00800000;

/**
 * What a number of bytes does to the CRC-32 before them: the checksum of two parts is the first one
 * shifted past the second, XOR the second. Multiplies polynomials modulo that of CRC-32, as zlib's
 * `crc32_combine` does.
 */
export class ChecksumShift {
  readonly #factor: number;

  constructor(bytes: number) {
    let factor = ONE;
    let square = X8;
    for (let left = bytes; left > 0; left = Math.floor(left / 2)) {
      if (left % 2 === 1) factor = product(factor, square);
      square = product(square, square);
    }
    this.#factor = factor;
  }

  apply(checksum: number): number {
    return product(this.#factor, checksum);
  }
}

/** The product of two polynomials modulo that of CRC-32. */
function product(a: number, b: number): number {
  let sum = 0;
  let shifted = b;
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) sum ^= shifted;
    shifted = (shifted & 1) === 0 ? shifted >>> 1 : (shifted >>> 1) ^ POLYNOMIAL;
  }
  return sum >>> 0;
}
