/** The polynomial of the field of 256 elements in which QR codes compute: x⁸ + x⁴ + x³ + x² + 1 (ISO/IEC 18004, section 7.5.2). */
const FIELD_POLYNOMIAL = 0x11d;

/** Multiplies two elements of the field. Both are whole numbers from 0 to 255. */
export function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >>> 7) * FIELD_POLYNOMIAL);
    if ((b >>> bit) & 1) product ^= a;
  }
  return product;
}

/**
 * Returns the coefficients of the polynomial that generates `count` bytes of error correction: the product of x − αⁱ for i from 0. The
 * highest power comes first, and its coefficient, which is 1, is left out.
 */
export function generatorOf(count: number): number[] {
  let coefficients = [1];
  let root = 1;
  for (let i = 0; i < count; i++) {
    const shifted = [...coefficients, 0];
    const timesRoot = [0, ...coefficients.map((one) => multiply(one, root))];
    coefficients = shifted.map((one, at) => one ^ timesRoot[at]!);
    root = multiply(root, 2);
  }
  return coefficients.slice(1);
}

/** Returns the bytes of error correction for a block of data: the remainder of its division by the generator. */
export function errorCorrectionOf(data: readonly number[], generator: readonly number[]): number[] {
  const remainder = generator.map(() => 0);
  for (const byte of data) {
    const factor = byte ^ remainder.shift()!;
    remainder.push(0);
    generator.forEach((coefficient, at) => (remainder[at]! ^= multiply(coefficient, factor)));
  }
  return remainder;
}
