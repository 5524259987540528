/*
 * Reads QR codes for tests, by ISO/IEC 18004:2015. It shares no code with the product. It reads codes without damage, of error correction
 * level M, in byte mode, and throws an Error that says what is wrong with a code.
 */

/** Bytes of error correction for each block, and the number of blocks, of level M (table 9). Only these versions are read. */
const LEVEL_M: Readonly<Record<number, readonly [correction: number, blocks: number]>> = {
  1: [10, 1],
  2: [16, 1],
  3: [26, 1],
  4: [18, 2],
  5: [24, 2],
  6: [16, 4],
  7: [18, 4],
  8: [22, 4],
  9: [22, 5],
  10: [26, 5],
  11: [30, 5],
  12: [22, 8],
  13: [22, 9],
  14: [24, 9],
  15: [24, 10],
  16: [28, 10],
  17: [28, 11],
  18: [26, 13],
  25: [28, 21],
};

/** The centres of the alignment patterns (table E.1). */
const CENTRES: Readonly<Record<number, readonly number[]>> = {
  1: [],
  2: [6, 18],
  3: [6, 22],
  4: [6, 26],
  5: [6, 30],
  6: [6, 34],
  7: [6, 22, 38],
  8: [6, 24, 42],
  9: [6, 26, 46],
  10: [6, 28, 50],
  11: [6, 30, 54],
  12: [6, 32, 58],
  13: [6, 34, 62],
  14: [6, 26, 46, 66],
  15: [6, 26, 48, 70],
  16: [6, 26, 50, 74],
  17: [6, 30, 54, 78],
  18: [6, 30, 56, 82],
  25: [6, 32, 58, 84, 110],
};

const MASKS = [
  (i: number, j: number) => (i + j) % 2,
  (i: number) => i % 2,
  (_: number, j: number) => j % 3,
  (i: number, j: number) => (i + j) % 3,
  (i: number, j: number) => ((i >> 1) + Math.floor(j / 3)) % 2,
  (i: number, j: number) => ((i * j) % 2) + ((i * j) % 3),
  (i: number, j: number) => (((i * j) % 2) + ((i * j) % 3)) % 2,
  (i: number, j: number) => (((i + j) % 2) + ((i * j) % 3)) % 2,
];

/** Returns the text of a code and its version. */
export function readQrCode(code: readonly (readonly boolean[])[]): { text: string; version: number } {
  const size = code.length;
  const version = (size - 17) / 4;
  requireFinders(code);
  const mask = readFormat(code);
  const isFunction = (row: number, column: number): boolean => {
    const atCorner = (row < 9 && (column < 9 || column >= size - 8)) || (row >= size - 8 && column < 9);
    const inVersion = version >= 7 && ((row < 6 && column >= size - 11) || (column < 6 && row >= size - 11));
    const centres = CENTRES[version]!;
    const inAlignment = centres.some((y) =>
      centres.some((x) => {
        const isFinder = (y === 6 && x === 6) || (y === 6 && x === size - 7) || (y === size - 7 && x === 6);
        return !isFinder && Math.abs(row - y) <= 2 && Math.abs(column - x) <= 2;
      }),
    );
    return atCorner || inVersion || inAlignment || row === 6 || column === 6;
  };
  const bits: number[] = [];
  let isUp = true;
  for (let right = size - 1; right > 0; right -= right === 8 ? 3 : 2) {
    for (let n = 0; n < size; n++)
      for (const column of [right, right - 1]) {
        const row = isUp ? size - 1 - n : n;
        if (isFunction(row, column)) continue;
        const isInverted = MASKS[mask]!(row, column) === 0;
        bits.push(code[row]![column]! === isInverted ? 0 : 1);
      }
    isUp = !isUp;
  }
  const bytes = Array.from({ length: Math.floor(bits.length / 8) }, (_, i) =>
    numberOf(bits.slice(i * 8, i * 8 + 8)),
  );
  return { text: textOf(dataOf(bytes, version), version), version };
}

function requireFinders(code: readonly (readonly boolean[])[]): void {
  const size = code.length;
  const picture = ['1111111', '1000001', '1011101', '1011101', '1011101', '1000001', '1111111'];
  for (const [top, left] of [
    [0, 0],
    [0, size - 7],
    [size - 7, 0],
  ] as const) {
    const seen = picture.map((_, i) =>
      code[top + i]!.slice(left, left + 7)
        .map(Number)
        .join(''),
    );
    if (seen.join() !== picture.join()) throw new Error(`No finder pattern at ${top}, ${left}`);
  }
}

/** Reads both copies of the format, and returns the number of the mask. */
function readFormat(code: readonly (readonly boolean[])[]): number {
  const size = code.length;
  const at = (row: number, column: number) => Number(code[row]![column]);
  const corner = [0, 1, 2, 3, 4, 5, 7, 8];
  const first = [...corner.map((row) => at(row, 8)), ...[7, 5, 4, 3, 2, 1, 0].map((column) => at(8, column))];
  const second = [
    ...[1, 2, 3, 4, 5, 6, 7, 8].map((n) => at(8, size - n)),
    ...[7, 6, 5, 4, 3, 2, 1].map((n) => at(size - n, 8)),
  ];
  if (first.join() !== second.join()) throw new Error('The two copies of the format differ');
  if (at(size - 8, 8) !== 1) throw new Error('The dark module is light');
  const format = numberOf(first.reverse()) ^ 0b101010000010010;
  let rest = format;
  for (let i = 14; i >= 10; i--) if ((rest >> i) & 1) rest ^= 0b10100110111 << (i - 10);
  if (rest !== 0) throw new Error('The format is damaged');
  if (format >> 13 !== 0) throw new Error('The level is not M');
  return format >> 10;
}

/** Takes the blocks apart, and checks that each has the error correction of its data. */
function dataOf(bytes: readonly number[], version: number): number[] {
  const [correction, count] = LEVEL_M[version]!;
  const dataLength = bytes.length - correction * count;
  const shortest = Math.floor(dataLength / count);
  const longFrom = count - (dataLength % count);
  const lengths = Array.from({ length: count }, (_, i) => shortest + (i < longFrom ? 0 : 1));
  const blocks: number[][] = lengths.map(() => []);
  const queue = [...bytes];
  for (let i = 0; i <= shortest; i++)
    lengths.forEach((length, block) => (i < length ? blocks[block]!.push(queue.shift()!) : undefined));
  const whole = blocks.map((block) => [...block]);
  for (let i = 0; i < correction; i++) whole.forEach((block) => block.push(queue.shift()!));
  for (const block of whole)
    for (let power = 0; power < correction; power++)
      if (evaluate(block, EXPONENTS[power]!) !== 0)
        throw new Error('The error correction does not fit the data');
  return blocks.flat();
}

function textOf(data: readonly number[], version: number): string {
  const bits = data.flatMap((byte) => [...byte.toString(2).padStart(8, '0')].map(Number));
  if (numberOf(bits.slice(0, 4)) !== 4) throw new Error('The mode is not bytes');
  const lengthBits = version < 10 ? 8 : 16;
  const length = numberOf(bits.slice(4, 4 + lengthBits));
  const start = 4 + lengthBits;
  const text = Array.from({ length }, (_, i) => numberOf(bits.slice(start + i * 8, start + i * 8 + 8)));
  return Buffer.from(text).toString('utf8');
}

/** The powers of 2 in the field with the polynomial 100011101, and their logarithms. */
const EXPONENTS: number[] = [];
for (let i = 0, x = 1; i < 255; i++) {
  EXPONENTS.push(x);
  x = x * 2 > 255 ? (x * 2) ^ 0b100011101 : x * 2;
}

function evaluate(polynomial: readonly number[], x: number): number {
  const product = (a: number, b: number) =>
    a === 0 || b === 0 ? 0 : EXPONENTS[(EXPONENTS.indexOf(a) + EXPONENTS.indexOf(b)) % 255]!;
  return polynomial.reduce((sum, coefficient) => product(sum, x) ^ coefficient, 0);
}

function numberOf(bits: readonly number[]): number {
  return bits.reduce((number, bit) => number * 2 + bit, 0);
}

/** Reads a code from its SVG path, in which it has a quiet zone of four modules. `side` is the width with the quiet zone. */
export function readQrPath({ side, path }: { side: number; path: string }): {
  text: string;
  version: number;
} {
  const quiet = 4;
  const grid = Array.from({ length: side - 2 * quiet }, () => Array<boolean>(side - 2 * quiet).fill(false));
  for (const [, x, y, width] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g))
    for (let i = 0; i < Number(width); i++) grid[Number(y) - quiet]![Number(x) - quiet + i] = true;
  return readQrCode(grid);
}
