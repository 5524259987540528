import { drawPatterns, drawFormat, type Grid } from './patterns.js';
import { penaltyOf } from './penalty.js';
import { errorCorrectionOf, generatorOf } from './reed-solomon.js';
import { divisionOf, MAX_VERSION, sizeOf } from './versions.js';

/** The modules of a QR code, row by row. A dark module is true. The code does not contain the quiet zone around it. */
export type QrCode = readonly (readonly boolean[])[];

/** The eight masks (ISO/IEC 18004, table 10). A module of data is inverted where the mask is true. */
const MASKS: readonly ((row: number, column: number) => boolean)[] = [
  (row, column) => (row + column) % 2 === 0,
  (row) => row % 2 === 0,
  (_, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
];

/**
 * Makes the QR code of a text, in UTF-8 and with error correction level M (ISO/IEC 18004:2015). The code has the smallest version that
 * holds the text, and the mask with the lowest penalty.
 *
 * @param maxVersion the largest version that the readers of the code accept
 * @throws RangeError if the text is too long for this version
 */
export function qrCodeOf(text: string, maxVersion = MAX_VERSION): QrCode {
  const bytes = [...Buffer.from(text)];
  const version = smallestVersion(bytes.length, maxVersion);
  const bits = inBlocks(dataBytes(bytes, version), version).flatMap((byte) => bitsOf(byte, 8));
  const { grid, isPattern } = drawPatterns(version);
  const places = dataPlaces(sizeOf(version)).filter(([row, column]) => !isPattern[row]![column]);
  const codes = MASKS.map((mask, index) => {
    const code = grid.map((row) => [...row]);
    // The places that are left over after the last byte are light before they are masked.
    places.forEach(([row, column], at) => (code[row]![column] = (bits[at] === 1) !== mask(row, column)));
    drawFormat(code, index);
    return code;
  });
  return lowestPenalty(codes);
}

function lowestPenalty(codes: readonly Grid[]): QrCode {
  let [best] = codes as [Grid];
  let lowest = Infinity;
  for (const code of codes) {
    const penalty = penaltyOf(code);
    if (penalty < lowest) [best, lowest] = [code, penalty];
  }
  return best;
}

/** The bits of the mode and of the number of bytes, which precede the text. */
function headerBits(version: number): number {
  return 4 + (version < 10 ? 8 : 16);
}

function smallestVersion(length: number, maxVersion: number): number {
  for (let version = 1; version <= maxVersion; version++)
    if (headerBits(version) + length * 8 <= divisionOf(version).data * 8) return version;
  throw new RangeError(`A text of ${length} bytes is too long for a QR code of version ${maxVersion}`);
}

/** Returns the bytes of data: mode, length, text, end, and bytes that fill the version. */
function dataBytes(bytes: readonly number[], version: number): number[] {
  const { data } = divisionOf(version);
  const bits = [
    ...bitsOf(0b0100, 4),
    ...bitsOf(bytes.length, headerBits(version) - 4),
    ...bytes.flatMap((byte) => bitsOf(byte, 8)),
  ];
  // The end is four bits, or fewer if no more have room. Then the byte is filled up.
  const padded = [...bits, ...Array<number>(Math.min(4, data * 8 - bits.length)).fill(0)];
  while (padded.length % 8 > 0) padded.push(0);
  const filled = Array.from({ length: padded.length / 8 }, (_, i) =>
    padded.slice(i * 8, i * 8 + 8).reduce((byte, bit) => byte * 2 + bit, 0),
  );
  const pad = Array.from({ length: data - filled.length }, (_, i) => (i % 2 === 0 ? 0xec : 0x11));
  return [...filled, ...pad];
}

/** Divides the data into blocks, adds the error correction of each, and takes a byte of each block in turn. */
function inBlocks(data: readonly number[], version: number): number[] {
  const { blocks: count, correction } = divisionOf(version);
  const generator = generatorOf(correction);
  const short = Math.floor(data.length / count);
  const shortBlocks = count - (data.length % count);
  const blocks = Array.from({ length: count }, (_, i) => {
    const start = i * short + Math.max(0, i - shortBlocks);
    return data.slice(start, start + short + (i < shortBlocks ? 0 : 1));
  });
  const corrections = blocks.map((block) => errorCorrectionOf(block, generator));
  return [...inTurn(blocks), ...inTurn(corrections)];
}

function inTurn(blocks: readonly (readonly number[])[]): number[] {
  const longest = Math.max(...blocks.map(({ length }) => length));
  return Array.from({ length: longest }, (_, i) => blocks.flatMap((block) => block[i] ?? [])).flat();
}

/** The places of a code in the order of its bits: upwards and downwards through pairs of columns, from the right (section 7.7.3). */
function dataPlaces(size: number): [row: number, column: number][] {
  const places: [number, number][] = [];
  let upwards = true;
  for (let right = size - 1; right >= 1; right -= 2) {
    // Column 6 has a timing pattern, so no pair contains it.
    if (right === 6) right = 5;
    for (let step = 0; step < size; step++) {
      const row = upwards ? size - 1 - step : step;
      places.push([row, right], [row, right - 1]);
    }
    upwards = !upwards;
  }
  return places;
}

function bitsOf(value: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => (value >>> (count - 1 - i)) & 1);
}
